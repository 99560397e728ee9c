/** Which messages are a yes or a no by themselves. */
import { describe, expect, it } from 'vitest';
import { bareAnswer } from '../../src/messages/bare-answers.ts';

// biome-ignore format: a row is a line
const YES = [
  ...['yesss', 'Jaaa!', 'yes pls', 'yes, that works', 'ok cool', "that's ok", 'fine by me', 'Allow', 'allow it', 'ja, du darfst'],
  ...['Genehmigen', 'das ist ok', 'passt für mich', 'yes 🙂', '👍 😀', 'ok :)', 'ja :-)', 'ＹＥＳ', 'unbedingt'],
  ...['yes\u200b', '☑️', '✓', 'Jo!', 'passt so', 'Passt 👍', 'ja, los', 'please do', 'please do it', 'Bitte mach das', 'Ja gern, danke!', 'OK…'],
  ...['yes', 'Yes!', 'YES.', ' yes ', 'y', 'ok', 'Ok', 'OK!', 'okay', 'sure', 'Sure, go ahead', 'go ahead', 'Go ahead!', 'yes please'],
  ...['yes, please do it', 'do it', 'Yes yes', 'yep', 'sounds good', 'ok thanks', '“yes”', '*yes*', 'of course!', 'That’s fine'],
  ...['👍', '👍🏽', '👍️', '👍👍', 'yes 👍', '✅', ':+1:', ':+1::skin-tone-3:', 'ok 👌🏿', '✔️'],
  ...['ja', 'Ja!', 'ja bitte', 'Ja, bitte.', 'ja gerne', 'jo', 'klar', 'Na klar!', 'mach das', 'ja, mach das bitte', 'in Ordnung', 'passt'],
  ...['einverstanden', 'Ja danke', 'jawohl', 'natürlich', 'natu\u0308rlich', 'auf jeden Fall'],
];
// biome-ignore format: a row is a line
const YES_IN_SPANISH = [
  ...['sí', 'Sí!', '¡Sí!', 'si', 'SÍ', 's', 'si\u0301', 'sí, por favor', 'Sí, gracias', 'vale', 'Vale, adelante', 'claro', '¡Claro que sí!'],
  ...['claro, hazlo', 'por supuesto', 'de acuerdo', 'está bien', 'esta bien', 'perfecto', 'dale', 'órale', 'ok gracias', 'sí 👍', 'síííí'],
  ...['Aprobar', 'Permitir', 'puedes hacerlo', 'no hay problema', 'me parece bien', '«sí»', 'sí, sí'],
];
const NO_IN_SPANISH = [
  // biome-ignore format: a list is filled
  ...[
    'no, gracias', 'No.', '¡No!', 'mejor no', 'ahora no', 'todavía no', 'claro que no', 'de ninguna manera',
    'no lo hagas', 'nooo',
  ],
  // biome-ignore format: a list is filled
  ...[
    'olvídalo', 'déjalo', 'nunca', 'Rechazar', 'cancela', 'no está bien', 'no, está bien', 'ya no', 'no, por favor',
    'no, no lo hagas',
  ],
];
const NEITHER_IN_SPANISH = [
  // biome-ignore format: a list is filled
  ...[
    '¿sí?', '¿vale?', 'sí, pero a las 10', 'no, a las 10', 'sí no', 'por favor', 'gracias', 'más tarde', 'vale la pena',
  ],
  ...['no vale', 'quizá', 'sí y envíaselo a Ana', 'siempre', 'sino', 'ni hablar', 'mañana', 'claro que no lo sé'],
];
// biome-ignore format: a row is a line
const NO = [
  ...['nooo', 'Neeein!', 'ablehnen', 'please do not', "don't allow it", 'cancel it', 'no :)'],
  ...['absolutely not', 'of course not!', 'auf keinen Fall', 'Natürlich nicht', 'nö danke', 'NÖ!', 'please don’t', 'please no', 'not yet', 'noch nicht'],
  ...['no', 'No!', 'nope', 'no thanks', 'No, thank you.', "don't", 'Don’t do it', 'do not', 'never mind', 'not now', 'no no', '👎', '👎🏿'],
  ...['❌', ':-1:', 'nein', 'Nein!', 'nein danke', 'nee', 'lieber nicht', 'lass es', 'bitte nicht', 'nö', 'no\u0308', 'jetzt nicht', 'mach das nicht'],
];
// biome-ignore format: a row is a line
const NEITHER = [
  ...[':)', '🙂', 'allow nothing', 'I am not ok with that', 'later', 'yes 🤔', 'nicht erlaubt', 'cool?', 'not cool'],
  ...['passt nicht', 'ja?!', 'please do not worry', '> yes', 'yes\n> no'],
  ...['', '   ', '!', 'please', 'bitte', 'danke', 'ok?', 'yes?', 'ja?', 'really', 'yes but at 10', 'yes, at 10 instead', 'no, at 10', 'yes no'],
  ...['ok, no', 'not ok', 'no problem', 'no worries', 'yesterday', 'yes we can', 'I said yes', 'is that a yes', 'ja aber später', 'jain'],
  ...['ja nein', 'nein, morgen', 'klar ist das nicht', 'okay what about Rome', 'never say yes', '~~yes~~', 'y/n', 'good question', '👍 or 👎'],
  ...['yes\n\nand send it to Kim', 'yes '.repeat(40), 'ye', 'nö?', 'stop', 'constructor', '__proto__'],
];

describe('a message that is', () => {
  it.each([...YES, ...YES_IN_SPANISH])('%j is a yes', (text) => expect(bareAnswer(text)).toBe('yes'));
  it.each([...NO, ...NO_IN_SPANISH])('%j is a no', (text) => expect(bareAnswer(text)).toBe('no'));
  it.each([...NEITHER, ...NEITHER_IN_SPANISH])('%j is neither', (text) => expect(bareAnswer(text)).toBeUndefined());
});
