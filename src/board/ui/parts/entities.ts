/**
 * The named character references of HTML 4 for Markdown (`&nbsp;`, `&mdash;`). Replaces the library's browser version,
 * which passes names to the page's HTML parser (Trusted Types forbid that), and its table of all 2,000 names, which is
 * larger than the rest of the page's initial code.
 */

const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
const GREEK =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega';
const OTHERS =
  'amp & lt < gt > quot " apos \' OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ sigmaf ς ensp \u2002 emsp \u2003 thinsp \u2009 zwnj \u200c zwj \u200d ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰ prime ′ Prime ″ lsaquo ‹ rsaquo › oline ‾ frasl ⁄ euro € trade ™ larr ← uarr ↑ rarr → darr ↓ harr ↔ lArr ⇐ rArr ⇒ hArr ⇔ forall ∀ part ∂ exist ∃ empty ∅ nabla ∇ isin ∈ notin ∉ ni ∋ prod ∏ sum ∑ minus − lowast ∗ radic √ prop ∝ infin ∞ ang ∠ and ∧ or ∨ cap ∩ cup ∪ int ∫ there4 ∴ sim ∼ cong ≅ asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ sub ⊂ sup ⊃ sube ⊆ supe ⊇ oplus ⊕ otimes ⊗ perp ⊥ sdot ⋅ check ✓ star ☆ hearts ♥';

function table(): Map<string, string> {
  const found = new Map<string, string>();
  for (const [index, name] of LATIN.split(' ').entries()) found.set(name, String.fromCodePoint(160 + index));
  for (const [index, name] of GREEK.split(' ').entries()) {
    found.set(name, String.fromCodePoint(913 + index));
    found.set(name.toLowerCase(), String.fromCodePoint(945 + index));
  }
  // Split at plain spaces only, since some of the characters are whitespace.
  const others = OTHERS.split(' ');
  for (let index = 0; index < others.length; index += 2) found.set(others[index] ?? '', others[index + 1] ?? '');
  return found;
}

let characters: Map<string, string> | undefined;

/** Returns `false` for an unknown name, which then stays as written. */
export function decodeNamedCharacterReference(name: string): string | false {
  characters ??= table();
  return characters.get(name) ?? false;
}
