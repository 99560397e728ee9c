/**
 * Detects the encoding of a text that doesn't declare it. Valid UTF-8 is UTF-8; otherwise each encoding is tried, and
 * the one wins whose letters are the most common in one of its languages. Two bytes can be a common word in Chinese and
 * garbage in Russian.
 */
import { isUtf8 } from 'node:buffer';
import { decodedText, decodeUnicode, markedUnicode, type Unicode } from './text.ts';

export type Charset =
  | Unicode
  | 'iso-2022-jp'
  | 'gb18030'
  | 'big5'
  | 'shift_jis'
  | 'euc-jp'
  | 'euc-kr'
  | 'iso-8859-2'
  | 'windows-1250'
  | 'windows-1251'
  | 'windows-1252'
  | 'windows-1253'
  | 'windows-1254'
  | 'windows-1255'
  | 'windows-1256'
  | 'windows-1257'
  | 'windows-874'
  | 'koi8-r'
  | 'ibm866'
  | 'macintosh';

export interface Guess {
  charset: Charset;
  /** No encoding gave plausible text, so letters beyond ASCII may be wrong. */
  isUnsure?: true;
  /** Some bytes are no characters. */
  isDamaged?: true;
}

const HAN_SIMPLE =
  '的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处队南给色光门即保治北造百规热领七海口东导器压志世金增争济阶油思术极交受联什认六共权收证改清己美再采转更单风切打白教速花带安场身车例真务具万每目至达走积示议声报斗完类八离华名确才科张信马节话米整空元况今集温传土许步群广石记需段研界拉林律叫且究观越织装影算低持音众书布复容儿须际商非验连断深难近矿千周委素技备半办青省列习响约支般史感劳便团往酸历市克何除消构府称太准精值号率族维划选标写存候毛亲快效斯院查江型眼王按格养易置派层片始却专状育厂京识适属圆包火住调满县局照参红细引听该铁价严您界客户姓名地址话订单日期金额备注编号邮箱测试数据文件内容请谢欢迎价格';
const HAN_TRADITIONAL =
  '的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過子說產種面而方後多定行學法所民得經十三之進著等部度家電力裡如水化高自二理起小物現實加量都兩體制機當使點從業本去把性好應開它合還因由其些然前外天政四日那社義事平形相全表間樣與關各重新線內數正心反你明看原又麼利比或但質氣第向道命此變條只沒結解問意建月公無系軍很情者最立代想已通並提直題黨程展五果料象員革位入常文總次品式活設及管特件長求老頭基資邊流路級少圖山統接知較將組見計別她手角期根論運農指幾九區強放決西被幹做必戰先回則任取據處隊南給色光門即保治北造百規熱領七海口東導器壓志世金增爭濟階油思術極交受聯什認六共權收證改清己美再採轉更單風切打白教速花帶安場身車例真務具萬每目至達走積示議聲報鬥完類八離華名確才科張信馬節話米整空元況今集溫傳土許步群廣石記需段研界拉林律叫且究觀越織裝影算低持音眾書布復容兒須際商非驗連斷深難近礦千週委素技備半辦青省列習響約支般史感勞便團往酸歷市克何除消構府稱太準精值號率族維劃選標寫存候毛親快效斯院查江型眼王按格養易置派層片始卻專狀育廠京識適屬圓包火住調滿縣局照參紅細引聽該鐵價嚴您客戶姓名地址訂單日期金額備註編號郵箱測試資料檔案內容請謝歡迎臺灣灣碼儲項';
const KANJI =
  '日本一国人年大会中事者二自出社学分行上生時合部長見新十手業月発的三文方名内前明場市入定高性地間力実語作家関対目使用金物言後小主話問下数動女体法度代理心品書度正以感車気通田水電東京東西南北数量単価合計住所氏名番号注文商品請求領収御円税込送付確認連絡先株式会社様情報管理番組世界私今何最次第点全変回知意化表制立世界要取不教経済現加理多元公開山開食同来切強進料記重結空無好屋道海売安万円半週曜火木土子男戦政府議員党選挙県区町村都道府駅店員室朝昼夜春夏秋冬白黒赤青花雨雪石川原野村松井藤佐鈴高橋渡辺伊藤山本小林加藤吉田';
const HANGUL =
  '이다는을가에의한하고지은기로리사를도인자어나그대해아라시서수정일부니전있것보제장들스거와게면구주상동성비화공여원소유으오마무조신위중관만세경실국과러연민선방당입모회생안우추문재개학물저치미단습었했금요름요님용건내적더현산양되반분통외청강영계최말호음차간양업본할될데았두드르바상품명번호주소이름전화날짜합계수량격력록급료남녀월년항목제출파씨김박안녕감파요글체행식결직번증없않같때까매';
const KANA = /[\u3041-\u3096\u30a1-\u30fa\u30fc]/;
/** Punctuation common to all East Asian languages, also in full width. */
const WIDE = /[\u3000-\u3002\u3008-\u3011\u3014\u3015\uff01-\uff5e\u00b7\u2014\u2018-\u201d\u2026\u30fb]/;
const FULL_HANGUL = /[\uac00-\ud7a3]/;
const HALF_KANA = /[\uff61-\uff9f]/;
const HAN = /\p{Script=Han}/u;

/** Scores a character beyond ASCII: 1 for one that everybody writes, 0 for one that nobody does. */
type Worth = (character: string) => number;

const han = (common: string, { kana = 0, hangul = 0 } = {}): Worth => {
  const known = new Set(common);
  return (character) => {
    if (known.has(character) || WIDE.test(character)) return 1;
    if (KANA.test(character)) return kana;
    if (FULL_HANGUL.test(character)) return hangul;
    return HAN.test(character) ? 0.25 : HALF_KANA.test(character) ? 0.45 : 0;
  };
};

const WIDE_CHARSETS: readonly [Charset, Worth][] = [
  ['gb18030', han(HAN_SIMPLE, { kana: 0.2 })],
  ['big5', han(HAN_TRADITIONAL, { kana: 0.1 })],
  ['shift_jis', han(KANJI, { kana: 1 })],
  ['euc-jp', han(KANJI, { kana: 1 })],
  ['euc-kr', han(HANGUL, { hangul: 0.35 })],
];

/** Characters that occur beside letters in every language of these encodings. */
const MARKS = '\u00a0«»„“”‘’‚‹›–—…•·§©®™€°£²³µ±½×';

/** Letters of a language with few beyond ASCII, all with the same score. */
const few = (letters: string): Letters => new Map([...letters].map((letter) => [letter, 1]));
/** Letters of an alphabet, scored by how often people write them. */
const alphabet = (letters: string, likely = 1): Letters =>
  new Map([...letters].map((letter, at) => [letter, likely * (at < 12 ? 1 : at < 22 ? 0.75 : 0.45)]));

type Letters = ReadonlyMap<string, number>;

const RUSSIAN = 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё№';

const CENTRAL = ['ąćęłńóśźż', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'áéíóöőúüű', 'ăâîşţ', 'čćđšž'];

/** Letters beyond ASCII by encoding, for one language each: a single language must account for a text. */
const LETTERS: readonly [Charset, readonly Letters[]][] = [
  [
    'windows-1252',
    [
      ...['äöüß', 'àâæçéèêëîïôœùûüÿ', 'áéíñóúüº¿¡ª', 'àáâãçéêíóôõúº', 'àèéìíîòóùú', 'áéëïóöüè', 'åäö', 'æøå'].map(few),
      few('àçèéíïòóúü'),
    ],
  ],
  ['windows-1250', CENTRAL.map(few)],
  ['iso-8859-2', CENTRAL.map((letters) => alphabet(letters, 0.97))],
  ['windows-1254', [few('çğıöşüİâîû')]],
  ['windows-1252', [few('áðéíóúýþæö')]],
  ['windows-1257', ['āčēģīķļņšūž', 'ąčęėįšųūž', 'äõöüšž'].map(few)],
  [
    'windows-1251',
    [
      alphabet(RUSSIAN),
      alphabet('оаинтвреіслкумдпзяьбгчйхцїжюшєщфґ№', 0.98),
      alphabet('аиоенртсјквдумлпзбгшчцњжљхћђфџ', 0.97),
    ],
  ],
  ['koi8-r', [alphabet(RUSSIAN, 0.98)]],
  ['ibm866', [alphabet(RUSSIAN, 0.96)]],
  ['windows-1253', [alphabet('αοιετσνηυρπκμλςάόίήέγώδθύχφβξζωψϊϋΐΰ', 0.95)]],
  ['windows-1255', [alphabet('יהולאמרשבתנםכדפעקחסטגצןזךףץ₪', 0.97)]],
  ['windows-1256', [alphabet('اليمنورتهبدعةسفكحقأجىشصطخضءإذزثئغآظؤپچژگ،؛؟', 0.95)]],
  ['windows-874', [alphabet('านรกเงอมย่ลวดทสต้ัีิป็ค์ะหำชขแใุจไพธบ฿', 0.97)]],
  ['macintosh', ['äöüß', 'àâçéèêëîïôùû', 'áéíñóúü¿¡', 'åäö', 'æøå'].map((letters) => alphabet(letters, 0.9))],
];

const LANGUAGES = LETTERS.flatMap(([charset, languages]) => languages.map((letters) => ({ charset, letters })));

/** Below this score nobody would recognise the text. */
const LEAST = 0.5;
/** A two-byte encoding must be clearly better, since it accepts any pair of high bytes. */
const WIDE_LEAST = 0.45;
const SAMPLE = 4_096;

/**
 * Returns whether only quotation marks, dashes and currency signs are beyond ASCII, as office programs write them. They
 * occur alone or in pairs; letters of another alphabet occur in words.
 */
const isMarkedOnly = (text: string): boolean => {
  const runs = text.match(/[^\0-\x7f]+/g) ?? [];
  return runs.length > 0 && runs.every((run) => run.length <= 2 && [...run].every((each) => MARKS.includes(each)));
};

/** Guesses the encoding of a text without a mark that isn't UTF-8; looks only at its beginning. */
export function guessCharset(bytes: Uint8Array): Guess {
  const { score: _, ...guess } = scoredGuess(bytes.subarray(0, SAMPLE));
  return guess;
}

function scoredGuess(sample: Uint8Array): Guess & { score: number } {
  if (isMostlyUtf8(sample)) return { charset: 'utf-8', isDamaged: true, score: 1 };
  if (isMarkedOnly(decodeAsIs('windows-1252', sample))) return { charset: 'windows-1252', score: 1 };
  const wide = best(WIDE_CHARSETS.map(([charset, worth]) => ({ charset, score: scoreWide(sample, charset, worth) })));
  const narrow = best(
    LANGUAGES.map(({ charset, letters }) => ({ charset, score: scoreNarrow(decodeAsIs(charset, sample), letters) })),
  );
  const lead = wide.score >= 0.6 ? 0.15 : 0;
  const found = wide.score >= WIDE_LEAST && wide.score >= narrow.score - lead ? wide : narrow;
  if (found === narrow && narrow.score < LEAST) return { charset: 'windows-1252', isUnsure: true, score: narrow.score };
  return { charset: found.charset, score: found.score };
}

/** In a text of another encoding, bytes that happen to be UTF-8 are rare. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const beyond = decodeAsIs('utf-8', bytes).match(/[^\0-\x7f]/gu) ?? [];
  return beyond.filter((each) => each === '\ufffd').length * 3 < beyond.length;
}

interface ScoredCharset {
  charset: Charset;
  score: number;
}

/** Returns the best; of equal ones the first, since they are listed by how common they are. */
const best = (all: readonly ScoredCharset[]): ScoredCharset =>
  all.reduce((one, other) => (other.score > one.score ? other : one), { charset: 'windows-1252', score: 0 });

const decoders = new Map<Charset, InstanceType<typeof TextDecoder>>();

/**
 * Decodes a text, or a page of one that ends with a whole character. Removes a byte order mark; NUL becomes a
 * replacement sign, as a damaged byte does.
 */
export const decodeCharset = (charset: Charset, bytes: Uint8Array): string =>
  decodeAsIs(charset, bytes).replaceAll('\0', '\ufffd');

function decodeAsIs(charset: Charset, bytes: Uint8Array): string {
  if (charset === 'utf-32le' || charset === 'utf-32be') return decodeUnicode(charset, bytes);
  const decoder = decoders.get(charset) ?? new TextDecoder(charset);
  decoders.set(charset, decoder);
  return decoder.decode(bytes);
}

/**
 * Scores a text. An invalid byte counts as much as three rare letters, since a text may be cut or have one damaged
 * place.
 */
function scoreWide(bytes: Uint8Array, charset: Charset, worth: Worth): number {
  let sum = 0;
  let count = 0;
  for (const character of decodeAsIs(charset, bytes)) {
    if (character < '\u0080') continue;
    count += character === '\ufffd' || /[\p{Co}\p{Cc}]/u.test(character) ? 3 : 1;
    sum += worth(character);
  }
  return count === 0 ? 0 : sum / count;
}

/** Scores the letters beyond ASCII in a language; a capital after a small letter in a word counts against it. */
function scoreNarrow(text: string, letters: Letters): number {
  let sum = 0;
  let count = 0;
  let before = '';
  for (const character of text) {
    if (character >= '\u0080') {
      count++;
      const worth =
        letters.get(character.toLowerCase()) ?? letters.get(character) ?? (MARKS.includes(character) ? 0.7 : 0);
      const isOdd =
        (isCapital(character) && isSmall(before)) || (/\p{M}/u.test(character) && !/[\p{L}\p{M}]/u.test(before));
      sum += isOdd ? -0.5 : isCapital(character) && isCapital(before) ? worth * 0.85 : worth;
    }
    before = character;
  }
  return count === 0 ? 0 : sum / count;
}

const isCapital = (character: string): boolean => character !== character.toLowerCase();
const isSmall = (character: string): boolean => character !== '' && character !== character.toUpperCase();

/**
 * Detects UTF-16 and UTF-32 without a byte order mark: in ASCII, even if only line ends, every other byte is zero, and
 * in UTF-32 every fourth byte of any text.
 */
export function unmarkedUnicode(bytes: Uint8Array): Unicode | undefined {
  const sample = bytes.subarray(0, SAMPLE);
  const zeros = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const candidates: Unicode[] = ['utf-32le', 'utf-32be'];
  if (even !== odd) candidates.push(odd > even ? 'utf-16le' : 'utf-16be');
  const found = candidates.find((charset) => isTextIn(charset, bytes));
  return found && unitOf(found) === 2 && !isControlled(sample) && !isLikelierIn(found, sample) ? undefined : found;
}

/** Any two letters of ASCII are a rare one of Chinese, so a stray NUL doesn't make a text UTF-16. */
function isLikelierIn(charset: Unicode, sample: Uint8Array): boolean {
  const text = decodeAsIs(charset, sample);
  const score = meanOf(Array.from(text, worthOf));
  const beyond = isUtf8(sample) ? 1 : scoredGuess(sample).score;
  const inBytes = meanOf(
    Array.from(sample.filter(Boolean), (byte) => (byte < 0x80 ? worthOf(String.fromCharCode(byte)) : beyond)),
  );
  return score > inBytes || (score === inBytes && /[^\0-\x7f]{2}/.test(text));
}

const meanOf = (worths: readonly number[]): number => worths.reduce((sum, worth) => sum + worth, 0) / worths.length;

/** Scores a character in any language. Nearly all pairs of bytes are Chinese or Korean; alphabets are no chance. */
function worthOf(character: string): number {
  if (character < '\u0080') return /[\s\w.,;:!?'"()/=-]/.test(character) ? 1 : 0.5;
  if (character < '\u1100' || MARKS.includes(character) || /\p{Emoji}/u.test(character)) return 1;
  return Math.max(FULL_HANGUL.test(character) ? 0.6 : 0, ...WIDE_CHARSETS.map(([, worth]) => worth(character)));
}

function isTextIn(charset: Unicode, bytes: Uint8Array): boolean {
  const unit = unitOf(charset);
  const sample = bytes.subarray(0, Math.min(SAMPLE, bytes.length - (bytes.length % unit)));
  const text = decodeAsIs(charset, sample);
  // Almost no four bytes are a character by chance. In UTF-16 a pair may be cut at the end of the sample.
  if (unit === 4 && text.includes('\ufffd')) return false;
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\p{Cf}\t\n\r\f\ud800-\udfff]+\ufffd?$/u.test(text);
}

/** Returns the number of bytes that every character is a multiple of. */
export const unitOf = (charset: Charset): number =>
  charset.startsWith('utf-32') ? 4 : charset.startsWith('utf-16') ? 2 : 1;

/** Decodes a text in any encoding; returns undefined for anything else. */
export function readableText(bytes: Buffer): string | undefined {
  if (markedUnicode(bytes)) return decodedText(bytes);
  const sample = bytes.subarray(0, SAMPLE);
  if (sample.includes(0)) {
    const charset = unmarkedUnicode(bytes);
    if (charset || isControlled(sample)) return charset && decodeCharset(charset, bytes);
  }
  if (isUtf8(bytes)) return decodeCharset(isIso2022Jp(bytes) ? 'iso-2022-jp' : 'utf-8', bytes);
  return decodeCharset(guessCharset(bytes.subarray(bytes.findIndex((byte) => byte >= 0x80))).charset, bytes);
}

/** Returns whether there are too many control characters for a text, in which a single one may be stray. */
export function isControlled(bytes: Uint8Array): boolean {
  const controls = bytes.reduce((n, byte) => n + (byte < 9 || (byte > 13 && byte < 32 && byte !== 27) ? 1 : 0), 0);
  return controls > 1 ? controls * 100 > bytes.length : controls === 1 && bytes.length < LEAST_WITH_STRAY;
}

/** A letter and a NUL are a letter of UTF-16. */
const LEAST_WITH_STRAY = 3;

/** Returns whether it is 7-bit with escape sequences that switch alphabets. */
export function isIso2022Jp(bytes: Uint8Array): boolean {
  const sample = Buffer.from(bytes.subarray(0, SAMPLE));
  return sample.includes('\u001b$B') || sample.includes('\u001b$@');
}
