/**
 * Words that mean yes or no on their own, by language: typed alone they work like the button. A message counts if it
 * contains nothing else: one or several phrases of one side, with polite words around them. Case, punctuation, marks
 * and the colour of an emoji don't matter; a question mark does: "ok?" isn't a yes.
 */
import type { Language } from './messages.ts';

export type BareAnswer = 'yes' | 'no';

/** Each language of the catalogues has its own. `beside` lists words that may accompany them and mean nothing alone. */
const WORDS: Readonly<Record<Language, Readonly<Record<BareAnswer | 'beside', string>>>> = {
  en: {
    yes: `yes, y, yep, yeah, yup, yea, aye, sure, sure thing, ok, okay, okey, k, fine, alright, all right, go ahead, go for it, go on, go, do it,
      do that, do so, please do, please do it, please do that, of course, absolutely, definitely, certainly, by all means, correct, right, exactly, agreed, confirm, confirmed, approve,
      approved, i approve, i agree, i confirm, sounds good, looks good, looks good to me, lgtm, good, perfect, great, that is fine, that's fine,
      thats fine, works for me, you may, proceed, make it so, why not,
      yess, yeh, ya, okk, oki, okidoki, okey dokey, cool, that works, works, totally, for sure, affirmative, roger, roger that, i do, i am sure, i'm sure,
      that's ok, that is ok, it's ok, it's fine, that's right, that is right, fine by me, fine with me, ok with me, ok for me, i'm ok with that,
      i'm fine with that, you can, you can do it, go ahead and do it, confirm it, approve it, allow, allow it, allowed, allow once, allow this once`,
    no: `no, n, nope, nah, no way, don't, dont, do not, don't do it, do not do it, don't do that, do not do that, not now, not yet, rather not,
      better not, i'd rather not, never, never mind, nevermind, forget it, leave it, not today, deny, denied, reject, decline, refuse, cancel,
      absolutely not, certainly not, definitely not, of course not,
      noo, please do not, don't allow, do not allow, don't allow it, deny it, reject it, decline it, cancel it, negative`,
    beside: 'please, pls, plz, sir, thanks, thank you, thx, ty, then, now',
  },
  de: {
    yes: `ja, j, jo, jep, jup, jawohl, jap, yo, jau, gern, gerne, klar, na klar, logisch, sicher, natürlich, selbstverständlich, auf jeden fall,
      in ordnung, einverstanden, genau, richtig, stimmt, passt, passt so, das passt, gut, alles klar, geht klar, mach, mach das, mach es,
      mach's, machs, mach mal, mach das so, mach ruhig, tu das, tu es, tu's, los, los geht's, los gehts, leg los, nur zu, bestätigt,
      ich stimme zu, perfekt, super, doch,
      jaa, jaja, jepp, jup, jawoll, ist ok, ist okay, ist gut, ist in ordnung, das ist ok, das ist okay, das ist gut, das ist in ordnung, das ist richtig,
      passt für mich, das passt für mich, du darfst, darfst du, das darfst du, erlaubt, erlauben, genehmigt, genehmigen, freigegeben, freigeben,
      hereinlassen, zugestimmt, gebongt, unbedingt, freilich`,
    no: `nein, ne, nee, nö, nope, lieber nicht, besser nicht, nicht, lass es, lass das, lass mal, lass gut sein, auf keinen fall,
      auf gar keinen fall, doch nicht, vergiss es, jetzt nicht, nicht jetzt, noch nicht, heute nicht, mach das nicht, mach es nicht,
      tu das nicht, tu es nicht, niemals, abgelehnt, natürlich nicht, sicher nicht, gar nicht,
      nicht machen, bitte nicht, ablehnen, verboten, abbrechen, bloß nicht`,
    beside: 'bitte, danke, dankeschön, vielen dank, dann, mal, jetzt',
  },
  es: {
    yes: `sí, si, s, sip, vale, claro, claro que sí, claro que si, por supuesto, por supuesto que sí, por supuesto que si, desde luego,
      de acuerdo, está bien, esta bien, ta bien, bien, muy bien, bueno, perfecto, correcto, exacto, exactamente, así es, asi es, eso es,
      eso mismo, genial, estupendo, venga, va, dale, órale, hazlo, hágalo, hagalo, hazlo así, adelante, procede, proceda, sigue, continúa,
      continua, me parece bien, me parece perfecto, por mí bien, por mi bien, cómo no, como no, con gusto, confirmo, confirmado, confirmar,
      apruebo, aprobado, aprobar, acepto, aceptado, aceptar, autorizo, autorizado, permitir, permitido, permítelo, permitelo, lo permito,
      puedes, puedes hacerlo, sí puedes, tienes permiso, no hay problema, sin problema, okey, oki, de una, afirmativo, ejecutar, ejecútalo, ejecutalo`,
    no: `no, nop, nanay, para nada, en absoluto, de ninguna manera, de ningún modo, de ningun modo, ni en broma, ni loco, ni loca, claro que no,
      por supuesto que no, desde luego que no, mejor no, ahora no, por ahora no, todavía no, todavia no, aún no, aun no, hoy no, ya no, nunca,
      jamás, jamas, no lo hagas, no hagas eso, no hagas nada, no lo permitas, no puedes, no quiero, prefiero que no, creo que no, que no,
      no está bien, no esta bien, no me parece bien, no ejecutar, déjalo, dejalo, olvídalo, olvidalo, rechazo, rechazado, rechazar, denegado, denegar,
      deniego, cancela, cancelar, cancélalo, cancelalo, prohibido, negativo`,
    beside: 'por favor, porfa, porfavor, gracias, muchas gracias, mil gracias, pues, entonces, ahora',
  },
};
/** Friendly signs say nothing more beside a word. */
const FRIENDLY =
  /[🙂😊😀😃😄😁😌😎🤗🎉🙌💪🚀❤]|(?<=^|\s)[:=]-?[)D](?=\s|$)|:(?:slightly_smiling_face|smile|blush|grinning|tada|raised_hands|heart):/gu;
/** The same in every language; Slack sends them as names. */
const SIGNS: Readonly<Record<BareAnswer, string>> = {
  yes: '👍 👌 ✅ ✔ ✓ ☑ 🆗 💯 🙏 :+1: :thumbsup: :ok_hand: :white_check_mark: :heavy_check_mark: :ok:',
  no: '👎 ❌ 🚫 ✖ ⛔ 🙅 :-1: :thumbsdown: :x: :no_entry: :no_entry_sign: :no_good:',
};
const MAX_LENGTH = 60;
const MOST_WORDS = 5;

const meanings = new Map<string, BareAnswer | 'beside'>();
for (const words of Object.values(WORDS))
  for (const meaning of ['beside', 'yes', 'no'] as const)
    for (const phrase of words[meaning].split(',')) meanings.set(normaliseAnswer(phrase), meaning);

/** Returns whether a text is only polite words: "please", "danke". */
export const isPolite = (text: string): boolean =>
  normaliseAnswer(text)
    .split(' ')
    .every((word) => meanings.get(word) === 'beside');

/** Returns the meaning of a whole message; undefined for anything more, or less, than a yes or a no. */
export function bareAnswer(text: string): BareAnswer | undefined {
  if (text.length > MAX_LENGTH || /[?？؟]/u.test(text)) return undefined;
  const words = normaliseAnswer(text).split(' ').filter(Boolean);
  let said: BareAnswer | undefined;
  for (let at = 0; at < words.length; ) {
    const found = longest(words, at);
    if (!found || (said !== undefined && found.meaning !== 'beside' && found.meaning !== said)) return undefined;
    if (found.meaning !== 'beside') said = found.meaning;
    at += found.length;
  }
  return said;
}

function longest(words: readonly string[], at: number): { meaning: BareAnswer | 'beside'; length: number } | undefined {
  for (let length = Math.min(MOST_WORDS, words.length - at); length > 0; length--) {
    const meaning = meanings.get(words.slice(at, at + length).join(' '));
    if (meaning) return { meaning, length };
  }
  return undefined;
}

/** Normalises to lower case, with each sign as a word and single spaces between words. */
function normaliseAnswer(text: string): string {
  let rest = text
    // Full-width letters are letters.
    .normalize('NFKC')
    .replace(/[\u200b\u2060\ufeff]/g, '')
    .replace(FRIENDLY, ' ')
    .toLowerCase()
    // "yeees", "jaaa"
    .replace(/(\p{L})\1{2,}/gu, '$1');
  rest = rest.replace(/:skin-tone-\d:/g, '').replace(/[\u{1f3fb}-\u{1f3ff}\ufe0e\ufe0f\u200d]|[♂♀]/gu, '');
  for (const answer of ['yes', 'no'] as const)
    for (const sign of SIGNS[answer].split(' ')) rest = rest.replaceAll(sign, ` ${answer} `);
  return rest
    .replace(/[’‘`´]/g, "'")
    .replace(/(?<!\p{L})'|'(?!\p{L})/gu, ' ')
    .replace(/[\s.,;:!¡。！，、…"“”„«»()*_\-–—]+/gu, ' ')
    .trim();
}
