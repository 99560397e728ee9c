/** German. A Werktag is one from Monday to Friday, as the words shown back say. */
import { type Language, spoken, table } from './language.ts';

export const GERMAN: Language = {
  numbers: table(`
    1 = eins
    2 = zwei
    3 = drei
    4 = vier
    5 = funf, fuenf
    6 = sechs
    7 = sieben
    8 = acht
    9 = neun
    10 = zehn
    11 = elf
    12 = zwolf, zwoelf
    15 = funfzehn, fuenfzehn
    20 = zwanzig
    30 = dreissig
    40 = vierzig
    45 = funfundvierzig, fuenfundvierzig
    60 = sechzig
    90 = neunzig
  `),
  rules: [
    [/\b(?:der )?n(?:a|ae)chste[rn]? woche(?: am)?\b/g, 'nachste woche'],
    // "morgens um 7" is each day, as "montags um 7" is each Monday; "um 7 Uhr morgens" can be one time.
    [
      /^(?=(?:morgens|vormittags|nachmittags|abends|nachts) um (?:halb |viertel (?:vor|nach) )?[\d:.]+(?: uhr)?$)/g,
      'taglich ',
    ],
    [/\b(\p{L}+tag)- und (\p{L}+tag)(vormittag|nachmittag|abend|morgen)(s?)\b/gu, '$1$3$4 und $2$3$4'],
    [/\balle ([2-9]) ((?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)e\b/g, 'every $1 weeks on $2'],
    [/\bein paar\b/g, 'few'],
    [/\b(?:in|wahrend) der arbeitszeit\b/g, 'during'],
    [/\b(?:jede volle|(?:zu )?jeder vollen) stunde\b/g, 'jede stunde'],
    [/(?<=\b(?:stunde|stundlich|stuendlich) )um halb$/g, 'at :30'],
    [/(?<=\b(?:stunde|stundlich|stuendlich) )um viertel nach$/g, 'at :15'],
    [/(?<=\b(?:stunde|stundlich|stuendlich) )um viertel vor$/g, 'at :45'],
    [/\b(?:anderthalb|eineinhalb|1 ?1\/2) stunden\b/g, '90 minuten'],
    // "Mo., 12. Jan. um 9"
    [/\b(mo|di|mi|do|fr|sa|so|jan|feb|apr|jun|jul|aug|sep|sept|okt|nov|dez)\.(?!\p{L})/gu, '$1'],
    // "Montagmorgen", "Montag Morgen": in the morning, not tomorrow.
    [
      /\b((?:mon|diens|donners|frei|sams|sonn)tag|mittwoch) ?(s?) ?(vormittag|nachmittag|abend|mittag)(s?)\b/g,
      '$1$2$4 $3',
    ],
    [/\b((?:mon|diens|donners|frei|sams|sonn)tag|mittwoch) ?(s?) ?morgen(s?)\b/g, '$1$2$3 fruh'],
    [/\bheute morgen\b/g, 'heute fruh'],
    [/\bjeden ersten(?= um\b|$)/g, 'jeden 1.'],
    [/\bhalb (\d{1,2})\b(?: uhr)?/g, (_, hour) => spoken(String(((Number(hour) + 10) % 12) + 1), 30)],
    [/\b(?:dreiviertel|3 ?viertel) (\d{1,2})\b(?: uhr)?/g, (_, hour) => spoken(hour, -15)],
    [/\bviertel (vor|nach) (\d{1,2})\b(?: uhr)?/g, (_, side, hour) => spoken(hour, side === 'vor' ? -15 : 15)],
    [
      /\b(5|10|20|25) (?:min(?:uten)? )?(vor|nach) (\d{1,2})\b(?: uhr)?/g,
      (_, minutes, side, hour) => spoken(hour, (side === 'vor' ? -1 : 1) * Number(minutes)),
    ],
    [/\b(\d{1,2}) uhr (\d\d)\b/g, '$1:$2'],
    [/\b(\d{1,2}[:.]\d\d) uhr\b/g, '$1'],
    [/\b12 uhr mittags?\b/g, 'noon'],
    [/\b(?:24|0|00|12 uhr nachts) uhr\b/g, 'midnight'],
    // "zwischen 9 und 17 Uhr", "um 9, 12 und 18 Uhr"
    [/\b(\d{1,2})(?=(?:,? (?:und |bis )?(?:um )?\d{1,2}(?:[:.]\d\d)?)+ ?uhr\b)(?! min)/g, (_, hour) => spoken(hour)],
    [/\b(\d{1,2}) ?uhr\b/g, (_, hour) => spoken(hour)],
    [/\bam (\d{1,2})\.(\d{1,2})(?![\d.:])/g, 'am $1.$2.'],
    // "15. jedes Monats", "am 15. um 9", "24. Dezember", "jeden 1. und 3. Montag"
    [/\b(\d{1,2})\. (?=jan|feb|mar|mrz|apr|mai|jun|jul|aug|sep|okt|nov|dez)/g, '$1 '],
    [/(?<![\d.])(\d{1,2})\.(?![\d.])/g, '$1th'],
  ],
  words: table(`
    every = jeden, jede, jedes, jeder, jedem, alle, immer
    daily = taglich, taeglich, tgl
    hourly = stundlich, stuendlich
    weekly = wochentlich, woechentlich
    monthly = monatlich
    quarterly = vierteljahrlich, vierteljaehrlich, quartalsweise
    yearly = jahrlich, jaehrlich
    every 2 weeks = zweiwochentlich, 2wochentlich, 14tagig, alle 14 tage
    at = um
    in = in, im
    last day of the month = monatsende, am monatsende, zum monatsende, ende des monats, am ende des monats
    on = zu, am, an, den, der, die, das, dem, zum
    and = und, sowie
    or = oder
    between = zwischen
    from = von, vom
    to = bis, bis zum
    starting = ab, beginnend ab
    except = ausser
    other day = zweiten tag
    other week = zweite woche
    other hour = zweite stunde
    minute = minute, min
    minutes = minuten
    hour = stunde, std
    hours = stunden
    half an hour = halbe stunde, halben stunde, einer halben stunde
    15 minutes = viertelstunde, einer viertelstunde
    45 minutes = dreiviertelstunde, einer dreiviertelstunde, einer dreiviertel stunde
    at :00 = zur vollen stunde
    an hour = einer stunde
    a day = einem tag, am tag, pro tag
    a week = einer woche, pro woche, in der woche, die woche
    a month = einem monat, pro monat
    a year = einem jahr, pro jahr, im jahr
    day = tag
    days = tage, tagen
    week = woche
    weeks = wochen
    month = monat
    months = monate, monaten
    quarter = quartal
    year = jahr
    years = jahre, jahren
    of the month = im monat, des monats, jedes monats, jeden monats, eines monats, eines jeden monats, in jedem monat, vom monat
    today = heute
    tomorrow = morgen
    tomorrow morning = morgen fruh, morgen frueh, morgen vormittag
    tomorrow afternoon = morgen nachmittag
    tomorrow evening = morgen abend
    tomorrow at noon = morgen mittag
    today in the morning = heute fruh, heute vormittag
    this afternoon = heute nachmittag
    this evening = heute abend
    tonight = heute nacht
    day after tomorrow = ubermorgen, uebermorgen
    next = nachsten, naechsten, nachste, naechste, nachster, kommenden, kommende
    this = diesen, diese, dieser, dieses
    every morning = jeden morgen
    in the morning = morgens, fruh, frueh, vormittags, am morgen, am vormittag
    in the afternoon = nachmittags, am nachmittag
    in the evening = abends, am abend
    at night = nachts, in der nacht
    morning = vormittag
    afternoon = nachmittag
    evening = abend
    night = nacht
    noon = mittag, mittags
    midnight = mitternacht
    weekday = werktag, arbeitstag, wochentag
    weekdays = werktags, werktaglich, werktage, werktagen, wochentags, arbeitstage, arbeitstagen, arbeitstags, unter der woche
    weekends = wochenende, wochenenden, am wochenende
    first = erste, ersten, erster, erstes
    second = zweite, zweiten, zweiter
    third = dritte, dritten, dritter
    fourth = vierte, vierten, vierter
    fifth = funfte, funften, fuenften
    last = letzten, letzter, letzte, letztem
    once = einmal, ein mal
    once a month = einmal im monat
    twice = zweimal, 2 mal, 2mal
    3 times = dreimal, 3 mal, 3mal
    4 times = viermal, 4 mal, 4mal
    ago = vor, gestern
    = bitte, erinnere mich, erinner mich, erinnere uns, uhr
    sunday = sonntag, so
    monday = montag, mo
    tuesday = dienstag, di
    wednesday = mittwoch, mi
    thursday = donnerstag, do
    friday = freitag, fr
    saturday = samstag, sa, sonnabend
    sundays = sonntags
    mondays = montags
    tuesdays = dienstags
    wednesdays = mittwochs
    thursdays = donnerstags
    fridays = freitags
    saturdays = samstags, sonnabends
    january = januar, jan, janner
    february = februar, feb
    march = marz, maerz, mrz
    april = april, apr
    may = mai
    june = juni, jun
    july = juli, jul
    august = august, aug
    september = september, sep, sept
    october = oktober, okt
    november = november, nov
    december = dezember, dez
  `),
};
