/** French. "Le lundi" is each Monday, "lundi" the next one. */
import { type Language, spoken, table } from './language.ts';

const MONTH = 'jan|fev|mars|avr|mai|juin|juil|aout|sep|oct|nov|dec';
/** Not "toutes les 4 heures", "dans 2 h". */
const TIME = "(?<!(?:les|dans|chaque|d'ici|tous|toutes) )";

export const FRENCH: Language = {
  numbers: table(`
    2 = deux
    3 = trois
    4 = quatre
    5 = cinq
    6 = six
    7 = sept
    8 = huit
    9 = neuf
    10 = dix
    11 = onze
    12 = douze
    15 = quinze
    20 = vingt
    30 = trente
    40 = quarante
    45 = quarante-cinq
    60 = soixante
    90 = quatre-vingt-dix
  `),
  rules: [
    // "le matin a 8h" is each day, as "le lundi a 8h" is each Monday.
    [/^(?=(?:le matin|le soir|la nuit) a \S+(?: heures?(?: et demie| et quart)?)?$)/g, 'tous les jours '],
    // Fifteen days are two weeks to whoever names a day of the week.
    [/\btous les 15 jours(?=.*\b(?:(?:lun|mar|mercre|jeu|vendre|same)di|dimanche)\b)/g, 'toutes les 2 semaines'],
    [/\bun ((?:(?:lun|mar|mercre|jeu|vendre|same)di|dimanche)) sur (\d)\b/g, 'every $2 weeks on $1'],
    [/\btous les ([2-9]) ((?:(?:lun|mar|mercre|jeu|vendre|same)di|dimanche))s\b/g, 'every $1 weeks on $2'],
    [/\bchaque 1(?:er)? (?=du mois\b)/g, 'le 1 '],
    [/(?<=\b(?:dans|toutes les) )(?:une )?heures? et demie\b/g, '90 minutes'],
    [/\b(\d{1,2}) 7\b(?=\.? )/g, '$1 septembre'],
    // "le vendredi 27 novembre" is one day.
    [new RegExp(`\\ble ((?:lun|mar|mercre|jeu|vendre|same)di|dimanche) (?=\\d{1,2} (?:${MONTH}))`, 'g'), '$1 '],
    [/\bune heure (et demie|et quart|moins le quart)/g, '1 heures $1'],
    [/(?<=\b(?:a|vers) )une heure\b/g, '1 heures'],
    [/\b(\d{1,2}) ?h(?:eures?)? et demie?\b/g, (_, hour) => spoken(hour, 30)],
    [/\b(\d{1,2}) ?h(?:eures?)? (?:et|un) quart\b/g, (_, hour) => spoken(hour, 15)],
    [/\b(\d{1,2}) ?h(?:eures?)? moins (?:le|un) quart\b/g, (_, hour) => spoken(hour, -15)],
    [/\b(\d{1,2}) ?h(?:eures?)? moins (5|10|20|25)\b/g, (_, hour, minutes) => spoken(hour, -Number(minutes))],
    [new RegExp(`${TIME}\\b(\\d{1,2}) ?h(?:eures?)? ?(\\d\\d)\\b`, 'g'), '$1:$2'],
    [new RegExp(`${TIME}\\b(\\d{1,2}) ?h(?:eures?)?\\b`, 'g'), (_, hour) => spoken(hour)],
    [/\b(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?(?![\d/])/g, (_, day, month, year = '') => `${day}.${month}.${year}`],
    [/\b1er\b/g, '1'],
    [/\bles (\d{1,2}) et (\d{1,2})\b/g, '$1th and $2th'],
    [new RegExp(`\\ble (\\d{1,2})\\b(?![.:]| (?:${MONTH}))`, 'g'), '$1th'],
    [/\bde (?=(?:[\d\uE000]\S*|midi|minuit) a )/g, 'from '],
    [/(?<=\bfrom \S+ )a\b/g, 'to'],
    [/\bfin (?:du|de chaque) mois\b/g, 'last day of the month'],
  ],
  words: table(`
    every = tous les, toutes les, chaque, tous, toutes
    daily = quotidiennement, quotidien
    hourly = toutes les heures, chaque heure
    weekly = hebdomadaire, hebdomadairement, toutes les semaines, chaque semaine
    every month = tous les mois, chaque mois
    monthly = mensuel, mensuellement
    yearly = tous les ans, chaque annee, annuellement
    every other day = un jour sur 2
    every other week = une semaine sur 2
    at = a
    in = dans, en, au mois de
    in half an hour = dans une demi-heure, dans une demi heure
    every half hour = toutes les demi-heures, chaque demi-heure
    every 15 minutes = tous les quarts d'heure, chaque quart d'heure
    in 15 minutes = dans un quart d'heure
    in 45 minutes = dans 3 quarts d'heure
    this = ce
    next week = semaine prochaine, la semaine prochaine, de la semaine prochaine
    an hour = une heure
    a week = une semaine
    a day = par jour, un jour
    per week = par semaine
    per month = par mois
    and = et, puis
    or = ou
    between = entre
    to = au, jusqu'au, jusqu'a
    from = du
    starting = a partir de, a partir du, a compter de, a compter du, des
    except = sauf, sauf le, excepte
    minute = minute, min
    minutes = minutes
    hour = heure
    hours = heures
    day = jour
    days = jours
    week = semaine
    weeks = semaines
    month = mois
    year = an, annee
    years = ans
    of the month = du mois, de chaque mois
    of every month = de tous les mois
    today = aujourd'hui
    tomorrow = demain
    tomorrow morning = demain matin
    tomorrow afternoon = demain apres-midi
    tomorrow evening = demain soir
    tomorrow at noon = demain midi
    this morning = ce matin
    this afternoon = cet apres-midi
    this evening = ce soir
    tonight = cette nuit
    day after tomorrow = apres-demain
    in the morning = du matin, le matin, au matin
    in the afternoon = de l'apres-midi, l'apres-midi
    in the evening = du soir, le soir
    at night = la nuit
    morning = matins, matin
    afternoon = apres-midis, apres-midi
    evening = soirs, soir
    night = nuits, nuit
    noon = midi
    midnight = minuit
    weekday = jour ouvrable, jour ouvre, jour de semaine
    weekdays = en semaine, jours ouvrables, jours ouvres, jours de semaine, jours de la semaine
    weekends = week-end, week-ends, weekend, le week-end, le weekend
    first = premier, premiere
    second = deuxieme, second
    third = troisieme
    fourth = quatrieme
    last = dernier, derniere
    once = une fois
    twice = 2 fois
    3 times = 3 fois
    4 times = 4 fois
    ago = il y a, hier
    = le, la, les, rappelle-moi, rappelez-moi, s'il te plait, s'il vous plait, svp
    sunday = dimanche, dim
    monday = lundi, lun
    tuesday = mardi, mar
    wednesday = mercredi, mer
    thursday = jeudi, jeu
    friday = vendredi, ven
    saturday = samedi, sam
    sundays = dimanches, le dimanche
    mondays = lundis, le lundi
    tuesdays = mardis, le mardi
    wednesdays = mercredis, le mercredi
    thursdays = jeudis, le jeudi
    fridays = vendredis, le vendredi
    saturdays = samedis, le samedi
    next sunday = dimanche prochain
    next monday = lundi prochain
    next tuesday = mardi prochain
    next wednesday = mercredi prochain
    next thursday = jeudi prochain
    next friday = vendredi prochain
    next saturday = samedi prochain
    january = janvier, janv
    february = fevrier, fevr
    march = mars
    april = avril, avr
    may = mai
    june = juin
    july = juillet, juil
    august = aout
    september = septembre, sept
    october = octobre, oct
    november = novembre, nov
    december = decembre, dec
  `),
};
