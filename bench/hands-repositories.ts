/**
 * Repositories whose tests fail until two files are changed, one for each language. Their tests record each run in
 * `.running`.
 */
export interface Repository {
  name: string;
  language: string;
  /** The program that must be installed. */
  program: string;
  /** Its files, by path. */
  content: Readonly<Record<string, string>>;
  test: string;
  /** The model's searches. */
  search: string;
  /** The files that the model reads. */
  files: readonly string[];
  /** The model's first change, which isn't enough. */
  edits: readonly [object, object];
  /** Appears in the output of tests that have passed. */
  isPassed: RegExp;
}

const IGNORED = '.running\nnode_modules\n__pycache__\n';

export const REPOSITORIES: readonly Repository[] = [
  {
    ...{ name: 'shop', language: 'TypeScript', program: 'node', test: 'npm test', search: 'prise', isPassed: /pass 2/ },
    content: {
      'package.json': '{"name":"shop","type":"module","scripts":{"test":"node --experimental-strip-types --test"}}\n',
      '.gitignore': IGNORED,
      'AGENTS.md': 'Prices are integers, in cents.\n',
      'src/price.ts':
        'export interface Item {\n  price: number;\n}\n\nexport const total = (items: any[]): number => items.reduce((sum, item) => sum + item.prise, 0);\n\nexport const average = (items: any[]): number => items.reduce((sum, item) => sum + item.prise, 0) / items.length;\n',
      'src/tax.ts': 'export const withTax = (cents: number): number => cents * 19;\n',
      'test/price.test.ts':
        "import assert from 'node:assert';\nimport fs from 'node:fs';\nimport { test } from 'node:test';\nimport { setTimeout } from 'node:timers/promises';\nimport { average, total } from '../src/price.ts';\nimport { withTax } from '../src/tax.ts';\n\nfs.appendFileSync('.running', '.');\nawait setTimeout(1_500);\ntest('adds up prices', () => {\n  assert.equal(total([{ price: 1 }, { price: 2 }]), 3);\n  assert.equal(average([{ price: 1 }, { price: 3 }]), 2);\n});\ntest('adds tax', () => assert.equal(withTax(100), 119));\n",
    },
    files: ['src/price.ts', 'test/price.test.ts'],
    edits: [
      {
        path: 'src/price.ts',
        edits: [
          { old: 'item.prise', new: 'item.price', all: true },
          { old: 'any[]', new: 'Item[]', all: true },
        ],
      },
      { path: 'src/tax.ts', edits: [{ old: 'cents * 19', new: 'Math.round(cents * 1.19)' }] },
    ],
  },
  {
    ...{ name: 'till', language: 'Python', program: 'python3', search: 'prise', isPassed: /OK/ },
    test: 'python3 -m unittest',
    content: {
      'pyproject.toml': '[project]\nname = "till"\nversion = "1.0.0"\n',
      '.gitignore': IGNORED,
      'till/__init__.py': '',
      'till/price.py': 'def total(items):\n    return sum(item["prise"] for item in items)\n',
      'till/tax.py': 'def with_tax(cents):\n    return cents * 19\n',
      'tests/__init__.py': '',
      'tests/test_price.py':
        'import time\nimport unittest\n\nfrom till.price import total\nfrom till.tax import with_tax\n\nwith open(".running", "a") as running:\n    running.write(".")\ntime.sleep(1.5)\n\n\nclass Prices(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total([{"price": 1}, {"price": 2}]), 3)\n\n    def test_tax(self):\n        self.assertEqual(with_tax(100), 119)\n',
    },
    files: ['till/price.py', 'tests/test_price.py'],
    edits: [
      { path: 'till/price.py', edits: [{ old: 'item["prise"]', new: 'item["price"]' }] },
      { path: 'till/tax.py', edits: [{ old: 'cents * 19', new: 'round(cents * 1.19)' }] },
    ],
  },
  {
    ...{ name: 'desk', language: 'Go', program: 'go', test: 'go test ./...', search: 'Prise', isPassed: /ok\s/ },
    content: {
      'go.mod': 'module example.org/desk\n\ngo 1.19\n',
      '.gitignore': IGNORED,
      'price.go':
        'package desk\n\ntype Item struct{ Price, Prise int }\n\nfunc Total(items []Item) int {\n\tsum := 0\n\tfor _, item := range items {\n\t\tsum += item.Prise\n\t}\n\treturn sum\n}\n',
      'tax.go': 'package desk\n\nfunc WithTax(cents int) int { return cents * 19 }\n',
      'price_test.go':
        'package desk\n\nimport (\n\t"os"\n\t"testing"\n\t"time"\n)\n\nfunc TestMain(m *testing.M) {\n\tfile, _ := os.OpenFile(".running", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)\n\tfile.WriteString(".")\n\tfile.Close()\n\ttime.Sleep(1500 * time.Millisecond)\n\tos.Exit(m.Run())\n}\n\nfunc TestTotal(t *testing.T) {\n\tif Total([]Item{{Price: 1}, {Price: 2}}) != 3 {\n\t\tt.Fatal("total")\n\t}\n}\n\nfunc TestTax(t *testing.T) {\n\tif WithTax(100) != 119 {\n\t\tt.Fatal("tax")\n\t}\n}\n',
    },
    files: ['price.go', 'price_test.go'],
    edits: [
      {
        path: 'price.go',
        edits: [
          { old: 'sum += item.Prise', new: 'sum += item.Price' },
          { old: 'struct{ Price, Prise int }', new: 'struct{ Price int }' },
        ],
      },
      { path: 'tax.go', edits: [{ old: 'cents * 19', new: 'cents * 119 / 100' }] },
    ],
  },
];
