/** What is wrong with a file that people write by hand, before anybody looks at what it says. */
export const yaml = {
  inLine: '{file} line {line}: {what}',
  empty: 'the file is empty; was it half-written? Delete it to use the defaults',
  noKeys: 'expected keys with values ("key: value"); was the file half-written?',
  halfWritten: '{what}; the file ends too early, was it half-written?',
  variable: '{what}; write {name} in quotes inside {brackets}',
  versions:
    'two versions of this file stand here one after the other; keep one and delete the lines that separate them',
  fence: 'the marks of a code block do not belong into the file; delete them',
  tabs: 'tabs are not taken at the beginning of a line; use spaces',
  parts: 'a second part begins here, after ---; a file has one',
  reserved: 'a value that begins with {character} belongs in quotes',
  colon: 'a value with a colon in it belongs in quotes',
  under: 'this key has a value, so nothing can stand further to the right below it',
  noValue: 'this is no key with a value ("key: value"); words that go on below a key are indented',
  openQuote: 'a quote is not closed',
  afterQuote: 'something comes after the closing quote; put the other kind of quotes around the whole',
  indent: 'this line does not begin where those it belongs to begin',
} as const;
