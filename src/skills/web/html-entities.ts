/** Character references of HTML: numbers, and the names people write. An unknown name stays as it is. */

// U+00A0 to U+00FF in order. https://html.spec.whatwg.org/multipage/named-characters.html
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
const GREEK_UPPER =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega';
const GREEK_LOWER =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega';
const OTHERS =
  'amp& lt< gt> quot" apos\' num# lpar( rpar) comma, period. colon: semi; sol/ bsol\\ lsqb[ rsqb] lcub{ rcub} lbrace{ rbrace} lowbar_ ast* plus+ equals= excl! quest? dollar$ percnt% commat@ grave` verbar| vert| hyphen‐ dash‐ ndash– mdash— horbar― lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ dagger† Dagger‡ bull• hellip… permil‰ prime′ Prime″ lsaquo‹ rsaquo› oline‾ euro€ trade™ larr← uarr↑ rarr→ darr↓ harr↔ lArr⇐ rArr⇒ hArr⇔ forall∀ part∂ exist∃ empty∅ nabla∇ isin∈ notin∉ ni∋ prod∏ sum∑ minus− radic√ prop∝ infin∞ ang∠ and∧ or∨ cap∩ cup∪ int∫ there4∴ sim∼ cong≅ asymp≈ ne≠ equiv≡ le≤ ge≥ sub⊂ sup⊃ sube⊆ supe⊇ oplus⊕ otimes⊗ perp⊥ sdot⋅ lceil⌈ rceil⌉ lfloor⌊ rfloor⌋ loz◊ spades♠ clubs♣ hearts♥ diams♦ check✓ cross✗ star☆ starf★ OElig\u0152 oelig\u0153 Scaron\u0160 scaron\u0161 Yuml\u0178 fnofƒ circˆ tilde˜ ccaron\u010d Ccaron\u010c zcaron\u017e Zcaron\u017d lstrok\u0142 Lstrok\u0141 ensp\u2002 emsp\u2003 thinsp\u2009 zwnj\u200c zwj\u200d Tab\t NewLine\n';

const named = new Map<string, string>();
const inOrder = (names: string, first: number) => {
  for (const [index, name] of names.split(' ').entries()) named.set(name, String.fromCharCode(first + index));
};
inOrder(LATIN_1, 0xa0);
inOrder(GREEK_UPPER, 0x391);
inOrder(GREEK_LOWER, 0x3b1);
for (const [, name = '', char = ''] of OTHERS.matchAll(/([A-Za-z]+\d?)([^ ])/gu)) named.set(name, char);

/** What old pages mean by the numbers 128 to 159. */
const WINDOWS_1252 = new TextDecoder('windows-1252');

/** Text with its character references resolved. Linear in its length. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,8});?|#[xX]([0-9a-fA-F]{1,7});?|([A-Za-z][A-Za-z0-9]{1,15});)/g,
    (whole: string, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return named.get(name) ?? whole;
      return fromNumber(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal));
    },
  );
}

function fromNumber(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252.decode(Uint8Array.of(code));
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : '\ufffd';
}
