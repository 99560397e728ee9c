/** Calls of tools that models write as text, in the forms of their chat templates, and texts that only look like it. */
import { describe, expect, it } from 'vitest';
import { findCalls } from '../../../src/features/dialects/find-calls.ts';
import { isThoughtAlone } from '../../../src/runtime/reply/marks.ts';

const weather = { city: 'Paris', days: 2 };
const json = JSON.stringify(weather);
const named = JSON.stringify({ name: 'weather', arguments: weather });
const withParameters = JSON.stringify({ name: 'weather', parameters: weather });
const bareOnes = { city: 'Paris', days: '2' };
const elements = '<parameter name="city">Paris</parameter>\n<parameter name="days">2</parameter>';
const fence = (info: string, body: string) => `\`\`\`${info}\n${body}\n\`\`\``;

/** What it is called, the text, the arguments of its one call. */
// biome-ignore format: a row is a line
const FORMS: [string, string, object][] = [
  ['Hermes', `<tool_call>\n${named}\n</tool_call>`, weather],
  ['Hermes without an end', `<tool_call>\n${named}`, weather],
  ['Hermes with the end of its turn', `<tool_call>${named}</tool_call><|im_end|>`, weather],
  ['Hermes with single quotes', `<tool_call>\n{'name': 'weather', 'arguments': {'city': 'Paris', 'days': 2}}\n</tool_call>`, weather],
  ['Hermes with arguments as text', `<tool_call>${JSON.stringify({ name: 'weather', arguments: json })}</tool_call>`, weather],
  ['a list between marks', `<tool_call>[${named}]`, weather],
  ['Granite', `<|tool_call|>[${named}]`, weather],
  ['Nemotron', `<TOOLCALL>[${named}]</TOOLCALL>`, weather],
  ['Jamba', `<tool_calls>[${named}]</tool_calls>`, weather],
  ['Phi', `functools[${named}]`, weather],
  ['Phi with its marks', `<|tool_call|>[${named}]<|/tool_call|>`, weather],
  ['InternLM', `<|action_start|><|plugin|>${withParameters}<|action_end|>`, weather],
  ['LM Studio', `[TOOL_REQUEST]${named}[END_TOOL_REQUEST]`, weather],
  ['Command R', `<|START_ACTION|>[{"tool_call_id":"0","tool_name":"weather","parameters":${json}}]<|END_ACTION|>`, weather],
  ['Llama 3', `<|python_tag|>${withParameters}<|eom_id|>`, weather],
  ['Llama 3 in Python', '<|python_tag|>weather.call(city="Paris", days=2)', weather],
  ['Llama 3.1 by functions', `<function=weather>${json}</function>`, weather],
  ['Llama 4', '<|python_start|>[weather(city="Paris", days=2)]<|python_end|>', weather],
  ['Mistral of before', `[TOOL_CALLS][${named}]`, weather],
  ['Mistral', `[TOOL_CALLS]weather${json}`, weather],
  ['Mistral with its marks', `[TOOL_CALLS]weather[ARGS]${json}</s>`, weather],
  ['Mistral with an id', `[TOOL_CALLS]weather[CALL_ID]Abc123xyz[ARGS]${json}`, weather],
  ['DeepSeek V3', `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n${fence('json', json)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`, weather],
  ['DeepSeek V3.1', `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>weather<｜tool▁sep｜>${json}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>`, weather],
  [
    'DeepSeek V3.2',
    `<｜DSML｜function_calls>\n<｜DSML｜invoke name="weather">\n<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n<｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
    bareOnes,
  ],
  ['Kimi', `<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>${json}<|tool_call_end|><|tool_calls_section_end|>`, weather],
  ['GLM', '<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call>', bareOnes],
  ['GLM in one line', '<tool_call>weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call>', { city: 'Paris' }],
  ['a name alone', '<tool_call>weather</tool_call>', {}],
  ['Qwen Coder', '<tool_call>\n<function=weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>', bareOnes],
  ['Qwen Coder without its mark', '<function=weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>', { city: 'Paris' }],
  ['invoke', `<function_calls>\n<invoke name="weather">\n${elements}\n</invoke>\n</function_calls>`, bareOnes],
  ['invoke alone', `<invoke name="weather">${elements}</invoke>`, bareOnes],
  ['MiniMax', `<minimax:tool_call>\n<invoke name="weather">\n${elements}\n</invoke>\n</minimax:tool_call>`, bareOnes],
  ['Seed', '<seed:tool_call>\n<function=weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>', { city: 'Paris' }],
  ['Gemma', fence('tool_code', 'weather(city="Paris", days=2)'), weather],
  ['Gemma that prints', fence('tool_code', 'print(default_api.weather(city="Paris", days=2))'), weather],
  ['FunctionGemma', '<start_function_call>call:weather{city:<escape>Paris<escape>,days:2}<end_function_call>', weather],
  ['Gemma 4', '<|tool_call>call:weather{city:<|"|>Paris<|"|>,days:2}<tool_call|>', weather],
  ['gpt-oss', `<|channel|>commentary to=functions.weather <|constrain|>json<|message|>${json}<|call|>`, weather],
  ['gpt-oss that names first', `<|start|>assistant to=functions.weather<|channel|>commentary json<|message|>${json}`, weather],
  ['JSON', named, weather],
  ['JSON of Llama', `{"type": "function", "name": "weather", "parameters": ${json}}`, weather],
  ['JSON of a real call', JSON.stringify({ tool_calls: [{ id: 'a', function: { name: 'weather', arguments: json } }] }), weather],
  ['JSON in a list', `[${named}]`, weather],
  ['JSON in a fence', fence('json', named), weather],
  ['JSON in a fence of calls', fence('tool_call', named), weather],
  ['Python in a list', '[weather(city="Paris", days=2)]', weather],
];

describe('a call written as text', () => {
  it.each(FORMS)('in the form of %s is read, alone and behind words', (name, text, input) => {
    const found = findCalls(text);
    const [call, ...others] = found.calls;
    expect({ ...found, others }, name).toMatchObject({ text: '', others: [] });
    expect(call?.name.replace(/^(functions|default_api)\./, '')).toBe('weather');
    expect(call?.input).toEqual(input);
    // JSON and Python behind words may be an example.
    const isBare = /^(\{|\[(\{|w)|```json)/.test(text);
    const behind = findCalls(`I will look.\n\n${text}`);
    if (isBare) expect(behind.kind).toMatch(/none|maybe/);
    else expect(behind).toMatchObject({ text: 'I will look.', kind: 'marked', calls: [{ input }] });
  });

  it.each([
    ['one after another', `<tool_call>${named}</tool_call>\n<tool_call>${named}</tool_call>`],
    ['between one pair of marks', `<tool_call>\n${named}\n${named}\n</tool_call>`],
    ['in a list', `[TOOL_CALLS][${named}, ${named}]`],
    ['by names', `[TOOL_CALLS]weather${json}[TOOL_CALLS]weather${json}`],
    ['with semicolons', `<|python_tag|>${withParameters}; ${withParameters}`],
    ['in Python', '[weather(city="Paris", days=2), weather(city="Paris", days=2)]'],
    ['as JSON alone', `${named} ${named}`],
    ['in lines of Python', fence('tool_code', 'weather(city="Paris", days=2)\nweather(city="Paris", days=2)')],
  ])('is read with others %s', (_how, text) => {
    expect(findCalls(text).calls.map(({ input }) => input)).toEqual([weather, weather]);
  });

  it('keeps what is written in its arguments', () => {
    const content = 'a = {"x": [1, 2]}\n  if a < 3 and b > 2:\n    print("</p>")';
    const text = `<tool_call>\n<function=write>\n<parameter=content>\n${content}\n</parameter>\n</function>\n</tool_call>`;
    expect(findCalls(text).calls[0]?.input).toEqual({ content });
    const python = `<|python_start|>[write(content='it\\'s "so"\\n', list=[1, 'a', None, {'b': True}])]`;
    expect(findCalls(python).calls[0]?.input).toEqual({ content: 'it\'s "so"\n', list: [1, 'a', null, { b: true }] });
  });

  it.each([
    ['words', 'Plain words, 3 < 4, a [link](https://x.example) and {braces}.'],
    ['JSON of another kind', '{"city": "Paris", "days": 2}'],
    ['a person', '{"name": "Ada", "age": 36}'],
    ['a list', '[1, 2, 3]'],
    ['a fence with words after it', `Like this:\n\n${fence('json', named)}\n\nIt asks for the weather.`],
    ['marks in a fence', `Models write:\n\n${fence('xml', `<tool_call>${named}</tool_call>`)}`],
    ['marks in a code span', `They write \`<tool_call>${named}</tool_call>\``],
    ['marks in a quotation', `It says:\n> <tool_call>${named}</tool_call>`],
    ['code', fence('python', 'weather(city="Paris", days=2)')],
    ['code that is run elsewhere', fence('tool_code', 'import os\nprint(os.listdir())')],
    ['a link at the end', 'See [weather](https://weather.example)'],
    ['HTML', '<p>Hello</p>\n<function>x</function>'],
  ])('is not seen in %s', (_what, text) => {
    expect(findCalls(text)).toMatchObject({ text, said: text, calls: [], kind: 'none', reasoning: '' });
  });

  it.each([
    ['words follow', `See <tool_call>${named}</tool_call>, which asks for the weather.`],
    ['its JSON has no end', '<tool_call>{"name": "weather", "arguments": {"city": "Par'],
    ['it would reach a prototype', '<tool_call>{"name": "weather", "arguments": {"__proto__": {"a": 1}}}</tool_call>'],
    ['a key of it would', '<function=weather><parameter=__proto__>1</parameter></function>'],
  ])('is none when %s', (_why, text) =>
    expect(findCalls(text)).toMatchObject({ calls: [], kind: 'broken', said: text }),
  );

  it.each([
    ['<think>\nHm.\n</think>\n\nHello.', 'Hello.', 'Hm.'],
    ['Hm.\n</think>\n\nHello.', 'Hello.', 'Hm.'],
    [
      '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hello.<|return|>',
      'Hello.',
      'Hm.',
    ],
    ['<thought>Hm.</thought>Hello.', 'Hello.', 'Hm.'],
    ['<seed:think>Hm.</seed:think>Hello.', 'Hello.', 'Hm.'],
    ['[THINK]Hm.[/THINK]Hello.', 'Hello.', 'Hm.'],
    ['Hm.[/THINK]Hello.', 'Hello.', 'Hm.'],
    ['◁think▷Hm.◁/think▷Hello.', 'Hello.', 'Hm.'],
    ['<|channel>thought\nHm.<channel|>Hello.', 'Hello.', 'Hm.'],
    ['[THINK] and <thought> are marks.', '[THINK] and <thought> are marks.', ''],
    ['A <thought>b</thought> c.', 'A <thought>b</thought> c.', ''],
    ['The tag `</think>` ends it.', 'The tag `</think>` ends it.', ''],
  ])('%j without its thought is %j', (given, text, reasoning) => {
    expect(findCalls(given)).toMatchObject({ said: text, reasoning });
  });

  it.each([
    '<think>Hm',
    '<thought>Hm</thought>',
    '[THINK]Hm',
    '[THINK]Hm[/THINK]\n',
    '◁think▷Hm',
    '<|channel>thought\nHm',
  ])('%j is a thought alone', (given) => {
    expect(isThoughtAlone(given)).toBe(true);
    expect(isThoughtAlone(`Hello. ${given}`)).toBe(false);
  });

  it('is looked for in time that grows with the length alone', () => {
    const long = 100_000;
    for (const piece of [
      '<tool_call>',
      '{',
      '[',
      '`',
      '```json\n',
      '<|x|>',
      '<parameter=a>',
      ' ',
      '> ',
      'a(b=',
      '<|channel|>final ',
    ])
      expect(findCalls(`<tool_call>${piece.repeat(long / piece.length)}x`).calls).toEqual([]);
    for (const piece of ['{"name":', '```\n', ' \n', '</think>', '<|channel|>analysis<|message|>'])
      expect(findCalls(piece.repeat(long / piece.length)).calls).toEqual([]);
  });
});
