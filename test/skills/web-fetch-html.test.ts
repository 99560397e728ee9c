/** HTML as text: what a person would see, from pages of any quality, in time that grows with the page and no faster. */
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { htmlToText } from '../../src/runtime/reading/html/html-text.ts';

const textOf = async (html: string) => (await htmlToText(html, 'https://example.com/dir/page')).text;

describe('a page as text', () => {
  it.each<[string, string, string]>(
    // biome-ignore format: a row is a line
    [
      ['paragraphs', '<p>One  \n two</p><p>Three<br>four</p>five<div>six</div>', 'One two\n\nThree\nfour\n\nfive\n\nsix'],
      ['headings', '<h1>A <em>b</em></h1><h3>C</h3>text', '# A b\n\n### C\n\ntext'],
      ['lists', '<ul><li>a<li><p>b</p><li>c</ul><ol><li>x</li><li>y</li></ol>', '- a\n- b\n\n- c\n\n1. x\n2. y'],
      ['lists in lists', '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>', '- a\n  - b\n- c'],
      ['a hidden paragraph without an end', '<h1>T</h1><p hidden>gone<p>two<p>three', '# T\n\ntwo\n\nthree'],
      ['a hidden paragraph before a block', '<p hidden>gone <b>too<div>two</div>', 'two'],
      ['a hidden paragraph at the end of what holds it', '<div><p hidden>gone</b></ul></div>two', 'two'],
      ['a hidden item without an end', '<ul><li hidden>gone<li>two</ul><p>after', '- two\n\nafter'],
      ['a hidden item with a list', '<ul><li hidden>gone<ul><li>too</li><li>also</ul>still<li>two</ul>', '- two'],
      ['a hidden item with an end too many', '<ul><li>one<li hidden>gone<ul><li>too</li></li>still</ul><li>two</ul>', '- one\n- two'],
      ['a hidden item at the end', '<ul><li>one<li hidden>gone</ul><p>after', '- one\n\nafter'],
      ['a hidden term', '<dl><dt hidden>gone<dd>D<dd hidden>gone</dl>z', ': D\n\nz'],
      ['a hidden row', '<table><tr hidden><td>x<tr><td>two</table>z', '| two |\n| --- |\n\nz'],
      ['a hidden row at the end', '<table><tr><td>one<tr hidden><td>x</table>z', '| one |\n| --- |\n\nz'],
      ['a hidden cell', '<table><tr><td hidden>x<td>two<tr><td>three</table>', '| two |\n| --- |\n| three |'],
      ['a hidden part with others in it', '<div hidden>a<div>b</div>c<p>d</div>e', 'e'],
      ['definitions', '<dl><dt>T<dd>D</dl>', 'T\n: D'],
      ['a table', '<table><tr><th>A<th>B<tr><td>1<td><p>2</p></table>', '| A | B |\n| --- | --- |\n| 1 | 2 |'],
      ['code', '<p>Use <code>x &lt; y</code></p><pre>a\n  b</pre>z', 'Use `x < y`\n\n```\na\n  b\n```\n\nz'],
      ['a quotation', '<blockquote><p>said</p></blockquote>', '> said'],
      ['links', 'a <a href="/x?a=1&amp;b=2">b</a> <a href="#top">c</a>', 'a [b](https://example.com/x?a=1&b=2) c'],
      ['links of other schemes', '<a href="javascript:x()">a</a><a href=data:,x>b</a><a href="mailto:c@d">c</a>', 'abc'],
      ['a card that is a link', '<a href=k><h2>H</h2><p>d</p></a>', '## H\n\nd (https://example.com/dir/k)'],
      ['an empty link', 'a<a href=x></a>b', 'ab'],
      ['pictures', '<img alt="A cat" src=c.png><img src=d.png>', '[image: A cat]'],
      ['a base', '<base href="https://other.example/z/"><a href=q>l</a>', '[l](https://other.example/z/q)'],
      ['what is not shown', '<nav>n</nav><script>s</script><style>t</style><template>u</template><p hidden>h</p>v', 'v'],
      ['comments', 'a<!-- <p>no</p> -->b<!-->c<![CDATA[x]]>d', 'abcd'],
      ['entities', '&amp;&lt;&eacute;&#8364;&#x20AC;&#128;&hellip;&nope;&amp', '&<é€€€…&nope;&'],
      ['wrong entities', '&#0;&#xD800;&#x110000;&#99999999;', '\ufffd'.repeat(4)],
      ['a bare bracket', '1 < 2 > 0 <3', '1 < 2 > 0 <3'],
      ['attributes of every kind', '<a title=">" data-x=\'"\' hidden2 href = "y" href=z >l</a>', '[l](https://example.com/dir/y)'],
      ['tags in capitals', '<P>a</P><SCRIPT>x</sCript ><UL><LI>b</UL>', 'a\n\n- b'],
      ['names of objects', '<constructor>a</constructor><valueOf __proto__=1 toString=1>b', 'ab'],
      ['navigation that never ends', '<nav><p>all there is', 'all there is'],
      ['a script that never ends', 'a<script>b', 'a'],
      ['a tag that never ends', 'a<b c="d', 'a'],
    ],
  )('%s', async (_name, html, text) => expect(await textOf(html)).toBe(text));

  it.each<[string, string, string]>([
    [
      'an icon that closes itself',
      '<a href=/in><svg viewBox="0 0 1 1"/> Sign in</a><svg><title/><path d="M0"/></svg> or read on',
      '[Sign in](https://example.com/in) or read on',
    ],
    [
      'names without a semicolon',
      'Tom &amp Ann &copy 2026 &lt3 <a href="/x?a=1&copy=2&amp;b=3">l</a>',
      'Tom & Ann © 2026 <3 [l](https://example.com/x?a=1&copy=2&b=3)',
    ],
    ['names of two characters and rare ones', '&NotEqualTilde; &bsim; &Zopf; &#x1F600;', '≂̸ ∽ ℤ 😀'],
    [
      'a heading with a link to itself',
      '<section id="usage"><h2>Usage<a class="headerlink" href="#usage" title="Link to this heading">¶</a></h2><p>Call <a class="reference internal" href="api.html#f"><code class="xref"><span class="pre">f()</span></code></a>.</p></section>',
      '## Usage¶\n\nCall [`f()`](https://example.com/dir/api.html#f).',
    ],
    [
      'highlighted code with a button',
      '<div class="highlight"><button>Copy</button><pre><span></span><code><span class="k">if</span> a &lt; b:\n    <span class="n">f</span>()\n</code></pre></div>',
      '```\nif a < b:\n    f()\n```',
    ],
    [
      'an article with its furniture',
      '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Rain &#8211; News</title><script type="application/ld+json">{"@type":"<b>x</b>"}</script></head><body class="post"><a href="#content">Skip</a><nav><ul><li><a href="/">Home</a></ul></nav><main id="content"><article><header><h1>Rain</h1><time datetime="2026-01-02">2 January</time></header><figure><picture><source srcset="r.webp"><img src="r.jpg" alt="Wet street"></picture><figcaption>A street</figcaption></figure><noscript><img src=pixel alt=""></noscript><p>It&rsquo;s <em>raining</em>.</p></article></main></body></html>',
      'Skip\n\n# Rain\n\n2 January\n\n[image: Wet street]\n\nA street\n\nIt’s raining.',
    ],
    [
      'a table with a caption and sections',
      '<table class="wikitable"><caption>Costs</caption>\n<thead>\n<tr>\n<th scope="col">Item</th>\n<th>Price</th></tr></thead>\n<tbody>\n<tr>\n<th scope="row"><a href="/wiki/Tea" title="Tea">Tea</a></th>\n<td>1,000<sup id="cite_ref-1"><a href="#cite_note-1">[1]</a></sup></td></tr></tbody></table>',
      'Costs\n\n| Item | Price |\n| --- | --- |\n| [Tea](https://example.com/wiki/Tea) | 1,000[1] |',
    ],
  ])('as pages have it: %s', async (_name, html, text) => expect(await textOf(html)).toBe(text));

  it('has the title once, and the links beside', async () => {
    const page = await htmlToText(
      '<title>A &amp;\n b</title><svg><title>no</title></svg><a href=1>x <b>y</b></a>',
      'https://e.org/',
    );
    expect(page).toEqual({
      title: 'A & b',
      text: '[x y](https://e.org/1)',
      links: [{ text: 'x y', url: 'https://e.org/1' }],
    });
  });
});

describe('hostile pages', () => {
  it('a long one holds up nobody else', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    onTestFinished(() => clearInterval(timer));
    await htmlToText('<h1>x'.repeat(200_000), 'https://example.com/');
    expect(turns).toBeGreaterThan(10);
  });

  it('no page makes it fail, and no markup of a script comes through', async () => {
    const pieces = fc.constantFrom(
      // biome-ignore format: a list is filled
      ...[
        '<', '>', '</', '<!--', '-->', '"', "'", '=', '&', '&#x', ';', '<script>', '</script>', '<title>', '</title>',
      ],
      ...['<table>', '<tr>', '<td>', '</table>', '<ul>', '<li>', '</ul>', '<pre>', '</pre>', '<a href=x>', '</a>'],
      // biome-ignore format: a list is filled
      ...[
        '<nav>', '</nav>', '<p hidden>', '<h1>', '</h1>', '<code>', ' ', '\n', 'word', '\u0000', '\ud800',
        '<base href="',
      ],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 60 }), async (parts) => {
        const { text } = await htmlToText(parts.join(''), 'https://example.com/');
        expect(text).toBe(text.trim());
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, (size: number) => string]>([
    ...[
      '<',
      '</',
      '<a href="',
      '<a b=\'"',
      '<!--',
      '<script>',
      '<title>',
      '<div>',
      '<nav>',
      '<p hidden>',
      '&',
      '&#x',
    ].map((piece): [string, (size: number) => string] => [piece, (size) => piece.repeat(size / piece.length)]),
    ...['<table><tr><td>', '<ul><li>', '<a href=/x>y', '<pre>', '</p>', '<h1>', '<b c=d e'].map(
      (piece): [string, (size: number) => string] => [piece, (size) => piece.repeat(size / piece.length)],
    ),
    ['spaces in a tag', (size) => `<a ${' '.repeat(size)}`],
    ['one open link', (size) => `<a href=/x>${'<b>y'.repeat(size / 4)}`],
    ['long addresses', (size) => `<base href="/${'x/'.repeat(900)}">${'<a href=b>l</a>'.repeat(size / 15)}`],
  ])('four times as much of %s takes no more than in proportion', async (_name, page) => {
    const work = async (html: string) => {
      const start = process.threadCpuUsage();
      const { text } = await htmlToText(html, 'https://example.com/');
      const { user, system } = process.threadCpuUsage(start);
      expect(text.length).toBeLessThanOrEqual(5_000_100);
      return (user + system) / 1_000;
    };
    await work(page(20_000));
    const times: string[] = [];
    // Memory that is collected in between counts too, so one of a few rounds has to do. Sixteen times is quadratic.
    for (let round = 0; round < 5; round++) {
      const [small, large] = [await work(page(100_000)), await work(page(400_000))];
      if (large < Math.max(150, small * 10)) return;
      times.push(`${small} ms, then ${large} ms`);
    }
    expect(times).toEqual([]);
  });
});
