/** Was an einer Datei nicht stimmt, die von Hand geschrieben ist. */
import { translate } from '../arguments.ts';
import { yaml as english } from '../en/yaml.ts';

export const yaml = translate(english)({
  inLine: '{file}, Zeile {line}: {what}',
  empty: 'die Datei ist leer; wird sie noch geschrieben? Ohne sie gilt das Übliche',
  noKeys: 'hier gehören Schlüssel mit Werten hin („Schlüssel: Wert“); wird die Datei noch geschrieben?',
  halfWritten: '{what}; die Datei hört zu früh auf, wird sie noch geschrieben?',
  variable: '{what}; {name} steht innerhalb von {brackets} in Anführungszeichen',
  versions: 'hier stehen zwei Fassungen der Datei hintereinander; behalte eine und lösch die Zeilen, die sie trennen',
  fence: 'die Zeichen eines Codeblocks gehören nicht in die Datei; lösch sie',
  tabs: 'am Anfang einer Zeile stehen Leerzeichen, keine Tabulatoren',
  parts: 'hier beginnt nach --- ein zweiter Teil; eine Datei hat nur einen',
  reserved: 'ein Wert, der mit {character} beginnt, gehört in Anführungszeichen',
  colon: 'ein Wert mit einem Doppelpunkt gehört in Anführungszeichen',
  under: 'dieser Schlüssel hat schon einen Wert, also kann unter ihm nichts weiter rechts stehen',
  noValue:
    'das ist kein Schlüssel mit einem Wert („Schlüssel: Wert“); Worte, die unter einem Schlüssel weitergehen, sind eingerückt',
  openQuote: 'ein Anführungszeichen ist nicht geschlossen',
  afterQuote: 'nach dem schließenden Anführungszeichen steht noch etwas; nimm um das Ganze die andere Art',
  indent: 'diese Zeile beginnt nicht dort, wo die anfangen, zu denen sie gehört',
});
