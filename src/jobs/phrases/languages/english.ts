/** English as people write it, in the words of the reader. Phrases of other languages come here once they are translated. */
import { type Language, spoken, table } from './language.ts';

export const ENGLISH: Language = {
  numbers: table(`
    1 = one
    2 = two
    3 = three
    4 = four
    5 = five
    6 = six
    7 = seven
    8 = eight
    9 = nine
    10 = ten
    11 = eleven
    12 = twelve
    15 = fifteen
    20 = twenty
    25 = twenty-five, twenty five
    30 = thirty
    40 = forty
    45 = forty-five, forty five
    60 = sixty
    90 = ninety
  `),
  rules: [
    [/ \(in months that have it\)/g, ''],
    [/^@every\b/g, 'every'],
    [/\b(bi|semi)-(?=weekly|monthly|annually)/g, '$1'],
    [/\b(every|each) fortnight\b/g, 'every 2 weeks'],
    [/\bin a fortnight\b/g, 'in 2 weeks'],
    // One in so many of them is of every so many weeks.
    [/\bevery ([2-9]|1\d) ((?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b/g, 'every $1 weeks on $2'],
    // As systemd writes a range.
    [/(?<=\p{L}{3})\.\.(?=\p{L}{3})/gu, '-'],
    [/^(?:please )?(?:remind (?:me|us) )?/g, ''],
    [/,? please$/g, ''],
    [/^a (?=\d{1,2} ?h)/g, 'at '],
    [/^(\d{1,2}) uhr$/g, 'at $1:00'],
    [/\blater today\b/g, 'today'],
    [
      /\bin (\d{1,2}) ?h ?(\d\d)(?: ?m(?:in)?)?\b/g,
      (_, hours, more) => `in ${Number(hours) * 60 + Number(more)} minutes`,
    ],
    [/\b(in \d{1,3}) ?d\b/g, '$1 days'],
    [/(?<=\p{L}) ?\+ ?(?=\p{L})/gu, ' and '],
    [/\bm ?- ?f\b/g, 'mon-fri'],
    [/(?<=\b(?:day|days|daily|weekdays?)) (?:but|apart from|other than)(?: not)?(?: on)? /g, ' except '],
    // "every monday and every thursday at 9" is one rhythm.
    [
      /\b((?:every|each) \p{L}+day),? (?:and|&) (?:every|each) (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)/gu,
      '$1 and ',
    ],
    // "0900", "1430 hours"
    [/(?<=\bat )(0\d)([0-5]\d)(?: hours| hrs)?(?![\d:.])/g, '$1:$2'],
    [/(?<=\bat )([01]\d|2[0-3])([0-5]\d) (?:hours|hrs)\b/g, '$1:$2'],
    // "at eight thirty"
    [
      /(?<=\bat )(\d{1,2}) (15|30|45)(?= ?[ap]m\b| every| each| on|$)/g,
      (_, hour, minutes) => spoken(hour, Number(minutes)),
    ],
    [/^(?:at )?(\d{1,2}) (?:minutes? )?(?:past|after) (?:every|each) hour\b/g, 'every hour at :$1'],
    [/(?<=\b(?:hours?|hourly) )at (?:a )?quarter past$/g, 'at :15'],
    [/(?<=\b(?:hours?|hourly) )at half past$/g, 'at :30'],
    [/(?<=\b(?:hours?|hourly) )at (?:a )?quarter to$/g, 'at :45'],
    [/\b3[ -]quarters of an hour\b/g, '45 minutes'],
    [/ ?o'clock\b/g, ''],
    [/(?<=\d ?)([ap])\.m\.?(?!\p{L})/gu, '$1m'],
    [/\bhalf past (\d{1,2})\b/g, (_, hour) => spoken(hour, 30)],
    [/\b(?:a )?quarter (?:past|after) (\d{1,2})\b/g, (_, hour) => spoken(hour, 15)],
    [/\b(?:a )?quarter (?:to|before|of) (\d{1,2})\b/g, (_, hour) => spoken(hour, -15)],
    [/\b(5|10|20|25) (?:minutes )?past (\d{1,2})\b/g, (_, minutes, hour) => spoken(hour, Number(minutes))],
    [/\bat (5|10|20|25) (?:minutes )?to (\d{1,2})\b/g, (_, minutes, hour) => `at ${spoken(hour, -Number(minutes))}`],
    [/\b(?:an |1 )?hour and a half\b/g, '90 minutes'],
    [/\bat the (weekends?)\b/g, 'on $1'],
    // "every 30 minutes 8am-6pm"
    [/(?<![\d./:-])(\d{1,2}(?::\d\d)? ?(?:[ap]m)?) ?- ?(\d{1,2}(?::\d\d)? ?(?:[ap]m)?)(?![\d./:-])/g, 'from $1 to $2 '],
    [/\b((?:mon|tues|wednes|thurs|fri|satur|sun)day),? next week\b/g, 'next week $1'],
    [/\bnext week on (?=\p{L}+day\b)/gu, 'next week '],
    [/\bquarter (?:of an hour|hour)\b/g, '15 minutes'],
    [/\b(\d) ?x (?=daily|a|per|every|each)/g, '$1 times '],
    [/\b2 times\b/g, 'twice'],
    [/\b(?:business|working|work|week) (day|days)\b/g, 'week$1'],
    [/\beveryday\b/g, 'every day'],
    [/\bnightly\b/g, 'every night'],
    [/\b12 midnight\b/g, 'midnight'],
    [/\bon the hour\b/g, 'at :00'],
    [/\bat (?:a )?quarter past (?=(?:every|each|the) hour)/g, 'at :15 '],
    [/\bat half past (?=(?:every|each|the) hour)/g, 'at :30 '],
    [/\bat (\d{1,2}) (?:minutes )?past(?: the hour)?(?! \d)/g, 'at :$1'],
    [/\b(?:at )?(?:the )?(?:end of (?:the |every |each )?month|month[- ]end)\b/g, 'last day of the month'],
    [/\bevery single\b/g, 'every'],
    [/\bthis coming\b/g, 'coming'],
    [/\b(?:tmrw|tmr|tmw)\b/g, 'tomorrow'],
    [/^after (?=\d)/g, 'in '],
    [/\bdays (\d{1,2}) and (\d{1,2})\b/g, 'the $1th and $2th'],
    [/(?<!\d )\bday (\d{1,2})(?![\d:.]| ?[ap]m)\b/g, 'the $1th'],
    [/\b(\d{1,2})\.(\d{1,2})\.(\d{4})?(?![\d.])/g, (found, day, month, year = '') => dateOf(found, day, month, year)],
    [/(?<=\p{L})\/(?=\p{L})/gu, ' and '],
    // "Mon-Thu 18h"; in "every 18h" and "in 18h" it is a time to wait.
    [/(?<!\b(?:every|in|after)\b.*)\b(\d{1,2}) ?h\b(?! from)/g, (_, hour) => spoken(hour)],
    [/(?<=\b(?:\p{L}*day|at),? )(\d{1,2})h(\d\d)\b/gu, '$1:$2'],
    [/(?<=\bday,? (?:at )?)(\d{1,2})h\b/g, (_, hour) => spoken(hour)],
  ],
  words: new Map(),
};

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** With points the day comes first. */
function dateOf(found: string, day = '', month = '', year = ''): string {
  const name = MONTHS[Number(month) - 1];
  return name === undefined ? found : `${day} ${name} ${year}`;
}
