/**
 * What people write into schedules and reminders, with the next times it means (as many as there are, three at most): shapes taken from
 * the help pages of task lists and calendars, from reminder bots and their issues, from cron generators, and from what people dictate.
 */
export type Row = readonly [slots: string, ...phrases: string[]];

/** Asked on Saturday 21 November 2026, 19:05:30 in Berlin. */
export const ROWS: readonly Row[] = rows(`
2026-11-22 09:00, 2026-11-23 09:00, 2026-11-24 09:00 =
  every day at nine | everyday at 9am | 9am every day | daily 9am | each day at 9 am | every morning at 9 | daily at 09:00 |
  daily at 9 in the morning | every day, 9am | once daily at 9 | at nine every day | every day at 9 Berlin time |
  daily at 9 Europe/Berlin | daily at 9am (Europe/Berlin) | daily at 8am London time | every day at 8:00 in Europe/London |
  every day starting tomorrow at 9 | every day at 9am Europe/Paris
2026-11-22 07:30, 2026-11-23 07:30, 2026-11-24 07:30 =
  daily at half past seven | every day at half past 7 | every morning at half past seven | every morning at 7:30
2026-11-22 08:45, 2026-11-23 08:45, 2026-11-24 08:45 =
  daily at quarter to nine | every day at a quarter to nine
2026-11-22 09:15, 2026-11-23 09:15, 2026-11-24 09:15 =
  daily at quarter past nine | every day at a quarter past 9
2026-11-22 09:00, 2026-11-22 17:00, 2026-11-23 09:00 =
  twice a day at 9 and 17 | twice daily at 9am and 5pm | two times a day at 9:00 and 17:00
2026-11-23 09:00, 2026-11-24 09:00, 2026-11-25 09:00 =
  mon to fri 9am | monday through friday at 9am | weekdays 9am | monday-friday at nine | every weekday morning at 9 |
  daily from 2026-11-23 at 9 | mon-fri 9am | from monday to friday at 9am | 9am on weekdays
2026-11-23 18:00, 2026-11-24 18:00, 2026-11-25 18:00 =
  mon-thu 6pm | monday to thursday at 18:00 | weekdays 9am Los Angeles time | every weekday at 17:00 (UTC) | CRON_TZ=UTC 0 17 * * 1-5 |
  monday to thursday at 18:00 and friday at 15:00
2026-11-24 14:05, 2026-11-26 14:05, 2026-12-01 14:05 =
  tue/thu 14:05 | tuesdays and thursdays at 2:05pm | Tue & Thu 14:05
2026-11-23 09:00, 2026-11-30 09:00, 2026-12-07 09:00 =
  every monday 9am | mondays at 9 | weekly on monday at 9am | every week on monday at 9 | once a week on mondays at 9am |
  once a week on monday at 9 | mondays at nine am | 9am every monday | at 9 on mondays
2026-11-23 09:00, 2026-11-27 17:00, 2026-11-30 09:00 =
  mondays 9am and fridays 5pm | mondays at 9 and fridays at 17:00 | every monday at 9am and every friday at 5pm |
  9am on mondays and 5pm on fridays | mondays at 9am, fridays at 5pm
2026-12-07 09:00, 2026-12-21 09:00, 2027-01-04 09:00 =
  every 1st and 3rd monday of the month at 9am | first and third monday of each month at 9 |
  every first and third monday at 9 of the month
2026-12-15 09:00, 2027-01-15 09:00, 2027-02-15 09:00 =
  monthly on the 15th at 9am | every month on the 15th at 9 | every 15th at 9am | every 15th of the month at 9am | on the 15th at 9am |
  15th of each month, 9am
2026-11-22 09:00, 2026-11-22 09:15, 2026-11-22 09:30 =
  every 15 min between 9 and 5 | every 15 minutes from 9am to 5pm | every 15m from 9 to 17
2026-11-21 20:00, 2026-11-22 00:00, 2026-11-22 04:00 =
  every 4 hours starting at 8 | every 4 hours from 8am | every four hours starting at 8am | every 4h | every 4 hrs
2026-11-21 20:00, 2026-11-22 20:00, 2026-11-23 20:00 =
  daily at 7pm UTC | every day at 19:00 UTC | 7pm UTC every day | daily at 19:00 GMT | every day at 2pm New York time |
  at 8 in the evening every day
2026-12-24 18:00 =
  dec 24 at 6pm | december 24th at 6 in the evening | 24 Dec 18:00 | 24 december 18:00 | 2026-12-24 18:00
2026-11-21 19:10, 2026-11-21 19:15, 2026-11-21 19:20 =
  @every 5m | every 5m | every five minutes | every 5 mins
2026-11-22 09:00 =
  tomorrow at 9 | tomorrow morning at 9 | 9am tomorrow | tomorrow at 9 Berlin time | tomorrow at 8:00 UTC | tomorrow 9am |
  tomorrow at nine
2026-11-21 19:25 =
  in 20 mins | in 20 minutes
2026-11-23 09:00 =
  next monday at 9 | on monday at 9am | the day after tomorrow at 9 | in two days at 9am | next monday at 9am | in 2d at 9am
2026-11-22 08:00, 2026-11-23 08:00, 2026-11-24 08:00 =
  every morning | each morning | mornings | every day in the morning | once a day at 8am | mornings at 8 | each day 8 am |
  everyday at 8am | starting tomorrow every day at 8am | every day at 8 a.m. | every day at eight in the morning | Every Day At 8:00 AM.
2026-11-21 21:00, 2026-11-22 21:00, 2026-11-23 21:00 =
  every night | every night at 9 | every day at 9 at night | every evening at 9
2026-11-22 05:00, 2026-11-23 05:00, 2026-11-24 05:00 =
  daily at 5am | daily at 05:00 | every day at five in the morning | every morning at 5 | every day at 5:00
2026-11-22 17:30, 2026-11-23 17:30, 2026-11-24 17:30 =
  daily at half past five pm | every day at half past 5 in the afternoon | every day 5:30pm
2026-11-22 12:00, 2026-11-23 12:00, 2026-11-24 12:00 =
  every day at 12 noon | daily at midday | every noon | every day at twelve | every day at noon | every day at 12
2026-11-22 00:00, 2026-11-23 00:00, 2026-11-24 00:00 =
  every midnight | every day at 12 midnight | every day at midnight | every day at 12am
2026-11-22 08:00, 2026-11-22 13:00, 2026-11-22 18:00 =
  three times a day at 8, 13 and 18 | 3 times daily at 8am, 1pm and 6pm | every day at 8, 13 and 18
2026-11-23 09:30, 2026-11-24 09:30, 2026-11-25 09:30 =
  every weekday at 9:30 | weekdays at half past nine | every weekday, 9:30 am | Mon–Fri 9:30 | every monday to friday at 9:30
2026-11-22 10:00, 2026-11-28 10:00, 2026-11-29 10:00 =
  every weekend at 10 | weekends at 10am | on saturdays and sundays at 10 | every saturday & sunday at ten | sat/sun 10am |
  sat-sun at 10 | on weekends at 10am | every weekend at 10am | saturdays and sundays at 10 am
2026-11-27 17:00, 2026-12-04 17:00, 2026-12-11 17:00 =
  every friday at 5pm | fridays 5pm | each friday at 17:00 | every fri 17:00 | every friday afternoon at 5 | weekly on fridays at 5 pm |
  5pm fridays
2026-11-23 08:00, 2026-11-25 08:00, 2026-11-27 08:00 =
  every mon, wed and fri at 8 | mon/wed/fri 8am | mondays, wednesdays and fridays at 8am | every monday, wednesday & friday 8am
2026-11-23 09:00, 2026-12-07 09:00, 2026-12-21 09:00 =
  every other monday at 9 | every two weeks on mondays at 9am | every 2nd week on monday at 9 | every other week on monday at 9:00
2026-11-23 09:00, 2026-11-25 09:00, 2026-11-27 09:00 =
  every two days at 9 | every 2nd day at 9am | every other day at 9am | every second day at 9am | mon/wed/fri 9am
2026-11-22 00:00, 2026-11-22 06:00, 2026-11-22 12:00 =
  every 6 hours | every six hours | every 6h | every 6 hrs | every 6 hours starting at midnight | every 6 hours from 6am
2026-11-21 20:30, 2026-11-21 22:30, 2026-11-22 00:30 =
  every 2 hours starting at 8:30 | every two hours from 8:30am
2026-11-21 20:00, 2026-11-21 21:00, 2026-11-21 22:00 =
  every 60 minutes | every one hour
2026-11-21 19:30, 2026-11-21 20:00, 2026-11-21 20:30 =
  every half an hour | every half hour
2026-11-21 19:15, 2026-11-21 20:15, 2026-11-21 21:15 =
  hourly at :15 | every hour at :15
2026-11-21 19:10, 2026-11-21 19:40, 2026-11-21 20:10 =
  every 30 minutes at :10 | every 30 minutes starting at 9:10
2026-11-23 08:00, 2026-11-23 08:30, 2026-11-23 09:00 =
  every 30 minutes between 8 and 18 on weekdays | every 30 min from 8am to 6pm mon-fri | every half hour from 8 to 18 every weekday |
  weekdays every 30 minutes between 8:00 and 18:00
2026-11-22 09:00, 2026-11-22 10:00, 2026-11-22 11:00 =
  every hour from 9 to 5 | hourly between 9am and 5pm | hourly from 9 to 17
2026-12-01 09:00, 2027-01-01 09:00, 2027-02-01 09:00 =
  on the first of every month at 9 | monthly on the 1st at 9am | every first of the month at 9 | first of the month at 9 |
  every 1st at 9am | first of every month at 9am | on the 1st of each month at 9am
2026-11-30 18:00, 2026-12-31 18:00, 2027-01-31 18:00 =
  last day of the month at 18:00 | on the last day of every month at 6pm | every last day of the month at 18:00
2026-11-30 16:00, 2026-12-31 16:00, 2027-01-29 16:00 =
  last weekday of the month at 16:00
2026-12-01 09:00, 2026-12-15 09:00, 2027-01-01 09:00 =
  twice a month on the 1st and 15th at 9 | every 1st and 15th at 9 | on the 1st and 15th at 9am
2026-12-31 09:00, 2027-01-31 09:00, 2027-03-31 09:00 =
  on the 31st of every month at 9am
2026-12-07 09:00, 2027-01-04 09:00, 2027-02-01 09:00 =
  first monday of each month at nine | 1st monday of the month 9am | monthly on the first monday at 9 | first monday of each month at 9am
2026-11-27 16:00, 2026-12-25 16:00, 2027-01-29 16:00 =
  every last friday of the month at 4pm | last friday of each month at 16:00 | last friday of the month at 4pm
2027-01-01 09:00, 2027-04-01 09:00, 2027-07-01 09:00 =
  every 3 months at 9 | quarterly at 9am | every 3 months on the 1st at 9am
2026-12-25 09:00, 2027-12-25 09:00, 2028-12-25 09:00 =
  every 25 december at 9 | every year on december 25 at 9am | yearly on the 25th of december at 9 | every dec 25th
2026-11-21 21:00 =
  tonight at 9 | today at 9pm | this evening at 9
2026-11-22 16:00 =
  tomorrow at 4pm | tomorrow afternoon at 4 | tomorrow (Sun) at 16:00 | sunday at 16:00
2026-11-22 07:30 =
  tomorrow at half past seven
2026-11-27 14:00 =
  friday at 2pm | on friday 27 november at 14:00 | this friday at 14:00 | fri 2pm
2026-11-21 21:05 =
  in 2 hours | in two hours | in 120 minutes
2026-11-21 20:35 =
  in 90 minutes | in an hour and 30 minutes | in 1h30m | in 1h 30m | in 1 hour 30 minutes | in 1 hour and 30 minutes
2026-11-28 09:00 =
  in a week at 9 | in 7 days at 9:00 | next saturday at 9 | in a week at 9am
2026-12-01 15:00 =
  on december 1st at 3pm | dec 1 15:00 | 2026-12-01 15:00 | tuesday 1 december 2026 at 15:00
2026-11-23 09:00, 2026-11-27 10:00 =
  9am on monday and 10am on friday | monday at 9 and friday at 10
2026-12-14 09:00, 2026-12-21 09:00, 2026-12-28 09:00 =
  every monday starting 2026-12-14 at 9 | every monday from 14 december 2026 at 9
2027-09-05 09:00 =
  on 5 sept at 9
2026-11-27 20:00, 2026-12-04 20:00, 2026-12-11 20:00 =
  every friday evening at 8
2026-11-22 09:00, 2026-11-23 09:00, 2026-11-23 10:00 =
  daily at 9; mondays at 10
2026-11-22 15:00, 2026-11-23 15:00, 2026-11-24 15:00 =
  daily at 9am New York time | every day at 9 America/New_York | daily at 14:00 UTC | every day at 2pm London time |
  daily at 11pm Tokyo time | at 9am new york time daily
2026-11-21 19:06, 2026-11-21 19:07, 2026-11-21 19:08 =
  every minute
2026-11-21 19:07 =
  in 90s
2026-11-21 19:10 =
  in 5 min
2026-11-21 19:10, 2026-11-21 19:20, 2026-11-21 19:30 =
  every 10 mins
2026-11-21 19:30, 2026-11-21 20:30, 2026-11-21 21:30 =
  hourly at :30
2026-11-21 19:35 =
  in half an hour
2026-11-21 19:50 =
  in 45m
2026-11-21 20:00 =
  tonight at 8
2026-11-21 20:00, 2026-11-22 08:00, 2026-11-22 10:00 =
  every 2 hours from 8am to 8pm
2026-11-21 20:00, 2026-11-22 08:00, 2026-11-22 14:00 =
  three times a day at 8, 14 and 20
2026-11-21 20:00, 2026-11-22 08:00, 2026-11-22 20:00 =
  twice a day at 8am and 8pm | twice daily at 8 and 20
2026-11-21 20:05 =
  in an hour | in 1h
2026-11-21 20:30, 2026-11-21 22:00, 2026-11-21 23:30 =
  every 90 minutes
2026-11-21 23:00 =
  today at 11pm | at 11pm today
2026-11-21 23:00, 2026-11-22 23:00, 2026-11-23 23:00 =
  every night at 11
2026-11-22 00:30, 2026-11-23 00:30, 2026-11-24 00:30 =
  every day at 00:30
2026-11-22 06:45, 2026-11-23 06:45, 2026-11-24 06:45 =
  daily, 6:45 am
2026-11-22 07:00, 2026-11-23 07:00, 2026-11-24 07:00 =
  every morning at 7
2026-11-22 08:00 =
  tomorrow morning
2026-11-22 08:30, 2026-11-23 08:30, 2026-11-24 08:30 =
  at half past 8 every morning | every day at 8:30 a.m.
2026-11-22 10:00, 2026-11-23 10:00, 2026-11-24 10:00 =
  every day at 9am UTC | every day at 9am GMT | every day at 9am london time
2026-11-22 11:00, 2026-11-23 09:00, 2026-11-24 09:00 =
  weekdays at 9am and weekends at 11am
2026-11-22 12:30, 2026-11-23 12:30, 2026-11-24 12:30 =
  every day at 12:30
2026-11-22 15:00 =
  tomorrow afternoon at 3
2026-11-22 18:00 =
  tomorrow evening
2026-11-22 18:00, 2026-11-23 18:00, 2026-11-24 18:00 =
  every evening
2026-11-22 18:00, 2026-11-29 18:00, 2026-12-06 18:00 =
  weekly on sunday evening at 6
2026-11-22 18:45, 2026-11-23 18:45, 2026-11-24 18:45 =
  at a quarter to seven every evening
2026-11-22 21:00, 2026-11-29 21:00, 2026-12-06 21:00 =
  sunday nights at 9
2026-11-23 07:00, 2026-11-25 07:00, 2026-11-27 07:00 =
  Mon, Wed, Fri at 7am | monday wednesday friday 7am
2026-11-23 07:30, 2026-11-24 07:30, 2026-11-25 07:30 =
  every weekday, at 7:30 in the morning
2026-11-23 08:00, 2026-11-23 08:20, 2026-11-23 08:40 =
  every 20 minutes on weekdays between 8:00 and 18:00
2026-11-23 08:00, 2026-11-23 18:00, 2026-11-24 08:00 =
  at 8am and 6pm every weekday
2026-11-23 08:00, 2026-11-24 08:00, 2026-11-25 08:00 =
  weekdays at 8 in the morning
2026-11-23 08:15, 2026-11-24 08:15, 2026-11-25 08:15 =
  each weekday morning at 8:15
2026-11-23 09:00, 2026-11-23 10:00, 2026-11-23 11:00 =
  every hour between 9am and 5pm on weekdays
2026-11-23 09:00, 2026-11-23 12:00, 2026-11-23 17:00 =
  every weekday at 9, 12 and 17 | every weekday at 9am, 12pm and 5pm
2026-11-23 09:00, 2026-11-26 09:00, 2026-11-30 09:00 =
  every monday and every thursday at 9am | mondays & thursdays 9am
2026-11-23 10:00 =
  the day after tomorrow at 10am
2026-11-24 09:00, 2026-11-27 09:00, 2026-11-30 09:00 =
  every three days at 9am
2026-11-24 10:00, 2026-12-08 10:00, 2026-12-22 10:00 =
  every other week on tuesday at 10am
2026-11-24 12:00 =
  in 3 days at noon
2026-11-24 12:00, 2026-12-01 12:00, 2026-12-08 12:00 =
  every tuesday at twelve
2026-11-24 18:30, 2026-11-26 18:30, 2026-12-01 18:30 =
  tue & thu at 18:30
2026-11-26 09:00, 2026-12-10 09:00, 2026-12-24 09:00 =
  fortnightly on thursday at 9am
2026-11-27 12:00 =
  friday at noon
2026-11-27 14:00, 2026-12-04 14:00, 2026-12-11 14:00 =
  every friday afternoon
2026-11-27 15:00 =
  on friday at 3pm
2026-11-27 16:00, 2026-12-11 16:00, 2026-12-25 16:00 =
  every two weeks on friday at 4pm
2026-11-27 17:00 =
  friday 5pm | this friday at 5pm | next friday 5pm
2026-11-30 17:00, 2026-12-31 17:00, 2027-01-31 17:00 =
  last day of the month at 5pm
2026-12-01 08:00, 2026-12-15 08:00, 2027-01-01 08:00 =
  the 1st and the 15th of every month at 8am
2026-12-01 10:00 =
  on december 1st at 10am
2026-12-08 10:00, 2027-01-12 10:00, 2027-02-09 10:00 =
  the second tuesday of every month at 10:00
2026-12-18 15:00, 2027-01-15 15:00, 2027-02-19 15:00 =
  the third friday of every month at 3pm | third friday of the month 3pm
2026-12-24 18:00, 2027-12-24 18:00, 2028-12-24 18:00 =
  every year on december 24 at 6pm
2027-01-01 09:00, 2027-07-01 09:00, 2028-01-01 09:00 =
  every six months on the 1st at 9am
2027-01-01 12:00, 2028-01-01 12:00, 2029-01-01 12:00 =
  every january 1st at noon
`);

/** Each row begins with its times and `=`; `|` stands between its phrases. */
function rows(text: string): Row[] {
  return text
    .trim()
    .replace(/\|\n/g, '|')
    .replace(/=\n/g, '=')
    .split('\n')
    .map((line): Row => {
      const [slots = '', phrases = ''] = line.split(/ =(.*)/);
      return [slots, ...phrases.split('|').map((phrase) => phrase.trim())];
    });
}

export type ChangeRow = readonly [zone: string, now: string, slots: string, ...phrases: string[]];

/** Where the clocks change: Berlin leaves out 02:00 to 03:00 on 28 March 2027, and has it twice on 31 October 2027. */
// biome-ignore format: a row is a line
export const CHANGES: readonly ChangeRow[] = [
  ['Europe/Berlin', '2027-03-27T00:00:00Z', '2027-03-27 02:30, 2027-03-28 03:00, 2027-03-29 02:30', 'daily at 2:30', 'daily at 2:30am'],
  ['Europe/Berlin', '2027-03-27T12:00:00Z', '2027-03-28 09:00, 2027-03-29 09:00, 2027-03-30 09:00', 'daily at 9'],
  ['Europe/Berlin', '2027-03-27T12:00:00Z', '2027-03-28 03:00', 'tomorrow at 2:30'],
  ['Europe/Berlin', '2027-10-30T12:00:00Z', '2027-10-31 02:30, 2027-11-01 02:30, 2027-11-02 02:30', 'daily at 2:30'],
  ['Europe/Berlin', '2027-10-30T12:00:00Z', '2027-10-30 20:00, 2027-10-31 19:00, 2027-11-01 19:00', 'daily at 18:00 UTC'],
  ['Europe/Berlin', '2027-03-26T12:00:00Z', '2027-03-26 19:00, 2027-03-27 19:00, 2027-03-28 20:00', 'daily at 18:00 UTC'],
  ['Europe/Berlin', '2027-03-13T00:00:00Z', '2027-03-13 15:00, 2027-03-14 14:00, 2027-03-15 14:00', 'daily at 9am New York time', 'daily at 9 America/New_York'],
  ['America/New_York', '2027-03-13T12:00:00Z', '2027-03-14 03:00, 2027-03-15 02:30, 2027-03-16 02:30', 'every day at 2:30am'],
  ['America/New_York', '2026-11-21T18:05:30Z', '2026-11-22 09:00, 2026-11-23 09:00, 2026-11-24 09:00', 'daily at 9am', 'every morning at nine'],
  ['Australia/Lord_Howe', '2027-04-03T00:00:00Z', '2027-04-04 01:45, 2027-04-05 01:45, 2027-04-06 01:45', 'daily at 1:45am'],
  ['Asia/Kathmandu', '2026-11-21T18:05:30Z', '2026-11-22 07:30, 2026-11-23 07:30, 2026-11-24 07:30', 'daily at half past seven', 'every day at 7:30am'],
  ['Pacific/Auckland', '2026-11-21T18:05:30Z', '2026-11-23 09:00', 'tomorrow at 9', 'on monday at 9'],
  ['UTC', '2026-11-21T18:05:30Z', '2026-11-23 09:00, 2026-11-24 09:00, 2026-11-25 09:00', 'every weekday at 9'],
];

/** What people say and the model translates: no form of the table, so it is refused and never read as something else. */
export const TRANSLATED = `
1 hour from now | 1.12.2026 15:00 | 15 minutes past every hour | 2 weeks from today at 9 | 20m from now | 24.12. at 18:00 |
24.12.2026 18:00 | 2h from now | 2x daily at 9am and 5pm | 3x a day at 8:00, 13:00 and 18:00 | 8am daily please | 9am ET every monday |
9am eastern time every day | M-F at 9:30am | Mon-Thu 18h | Mon..Fri 09:00 | a week from monday | a week from now at 9am |
a week from tomorrow | after 20 minutes | at 0900 every day | at 1430 hours every friday | at 15 minutes past each hour |
at 9am on business days | at quarter past every hour | at the end of every month at 6pm | business days at 9am |
daily at 9 and mondays at 10 | daily at 9 except on saturdays | daily at ten past nine | day 1 of each month at 9am |
day 15 of every month | day 15 of every month at 9 | day 31 of every month at 9 | days 1 and 15 of every month at 9 |
end of month at 18:00 | every 2 mondays | every 3 fridays | every 30 min 8-18 | every 30 minutes 8am-6pm |
every 30 minutes from 8 to 6 on business days | every business day at 9 | every day at 17h30 | every day at 21h |
every day at 5 to 9 am | every day at 7.30am | every day at 8.30am | every day at 9 and every monday at 10 | every day at 9 o'clock |
every day at 9 o'clock in the morning | every day at 9am ET | every day at 9am PT | every day at 9am eastern | every day at 9am pacific |
every day at 9am pacific time | every day at 9h | every day at eight thirty | every day at eight thirty am |
every day but friday at 8am | every day except saturday at 9 | every day except sunday at 9am | every day except weekends at 9am |
every day from monday at 9 | every first and third monday at 9 | every first monday at 9 | every fortnight on friday at 4pm |
every fortnight on monday | every half hour 8:00–18:00 | every hour at 15 past | every hour at a quarter to | every hour at half past |
every hour at minute 15 | every hour at quarter past | every hour on the hour | every last friday at 4pm |
every last working day of the month at 16:00 | every morning at 8am please | every night at 2:30 | every quarter | every quarter at 9am |
every quarter of an hour between 9 and 17 | every quarter on the first day at 9am | every single day at 8am | every thirty minutes |
every weekday at 9:30 am pacific | every weekday except wednesday at 9am | every weekday starting monday at 9 |
every work day at 9.30am | every working day at 9 | first business day of the month at 9 | first working day of every month at 9am |
in 1.5 hours | in 1h30 | in a fortnight | in an hour and a half | in three quarters of an hour | in twenty minutes |
last business day of the month at 4pm | later today at 8pm | m-f 9am | midnight | month end at 6pm | next week monday at 9am |
next week on wednesday at 9 | next week wednesday at 9 | nightly at 2am | nightly at 9pm | noon | on 24.12. at 18:00 |
on business days at 9:30am | on day 15 of the month at 9 | on the last workday of each month at 4pm | on workdays at 9am | once an hour |
one week from next monday at 9:00 | please remind me tomorrow at 9am | remind me every monday at 9am | remind me every morning |
remind me in 15 min | remind me in 20 minutes | remind me in 2h | remind me tomorrow at 9 | sat+sun 10am | this coming monday at 9 |
tmrw 9am | tmrw at 9am | twice an hour at :00 and :30 | two weeks from now | two weeks from today | wednesday next week at 9 |
weekdays 9-5 every hour | weekdays at 9am pacific time | weekdays but wednesday at 9am
`
  .trim()
  .split('|')
  .map((phrase) => phrase.trim());
