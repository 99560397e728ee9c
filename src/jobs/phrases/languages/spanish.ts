/** Spanish. "Los lunes" is each Monday, "el lunes" the next one. */
import { type Language, spoken, table } from './language.ts';

const MONTH = 'ene|feb|mar|abr|may|jun|jul|ago|sep|oct|nov|dic';
const DAY = 'lunes|martes|miercoles|jueves|viernes|sabado|domingo|lun|mie|jue|vie|sab|dom';

export const SPANISH: Language = {
  numbers: table(`
    2 = dos
    3 = tres
    4 = cuatro
    5 = cinco
    6 = seis
    7 = siete
    8 = ocho
    9 = nueve
    10 = diez
    11 = once
    12 = doce
    15 = quince
    20 = veinte
    30 = treinta
    40 = cuarenta
    45 = cuarenta y cinco
    60 = sesenta
    90 = noventa
  `),
  rules: [
    // "por las mananas a las 8" is each day; "por la manana" can be the next one.
    [/^(?=por las (?:mananas|tardes|noches) a las [\d:]+(?: y (?:media|cuarto))?$)/g, 'todos los dias '],
    [new RegExp(`\\bcada ([2-9]) (${DAY})\\b`, 'g'), 'every $1 weeks on $2'],
    // Fifteen days are two weeks to whoever names a day of the week.
    [new RegExp(`\\bcada 15 dias(?=.*\\b(?:${DAY})\\b)`, 'g'), 'cada 2 semanas'],
    [new RegExp(`\\b(?:el )?(${DAY}) que viene\\b`, 'g'), 'proximo $1'],
    [/\b(?:una )?hora y media\b/g, '90 minutos'],
    [/\bla una\b/g, 'las 1'],
    [/\b(\d{1,2}) y (?:media|30)\b/g, (_, hour) => spoken(hour, 30)],
    [/\b(\d{1,2}) y cuarto\b/g, (_, hour) => spoken(hour, 15)],
    [/\b(\d{1,2}) menos cuarto\b/g, (_, hour) => spoken(hour, -15)],
    [/\b(\d{1,2}) menos (5|10|20|25)\b/g, (_, hour, minutes) => spoken(hour, -Number(minutes))],
    // The "tarde" goes on until eight.
    [/\bpor las? tardes? a las? (\uE000?[1-8](?::\d\d)?)(?![\d:])/g, 'a las $1 pm'],
    [/\ba las? (\uE000?[1-8](?::\d\d)?) por la tarde\b/g, 'a las $1 pm'],
    // "las 9 y 10" is ten past nine: what is meant by "las 9 y 17" has to be said.
    [/\blas (\d{1,2}) y (?=\d{1,2}\b)/g, 'las $1 + '],
    [/(?<!(?:cada|en|de) )\b(\d{1,2}) ?h(?:oras)?\b/g, (_, hour) => spoken(hour)],
    [/\b(\d{1,2}:\d\d) ?h(?:oras)?\b/g, '$1'],
    [/\b(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?(?![\d/])/g, (_, day, month, year = '') => `${day}.${month}.${year}`],
    [/\b(?:los )?dias (\d{1,2}) y (\d{1,2})\b/g, '$1th and $2th'],
    [/\bel (\d{1,2}) y el (\d{1,2})(?! de (?!cada))/g, '$1th and $2th'],
    [new RegExp(`\\b(?:el dia|dia|el) (\\d{1,2})\\b(?![.:]| de (?:${MONTH}))`, 'g'), '$1th'],
    [/\bde(?: las)? ([\d:\uE000]+) a (?:las )?(?=[\d\uE000])/g, 'from $1 to '],
    [new RegExp(`\\b(?:de )?(${DAY}) a (?=${DAY})`, 'g'), '$1 - '],
    [new RegExp(`\\bde (?=${MONTH})`, 'g'), ''],
    [/\b(?:del?) (?=\d{4}\b)/g, ''],
    [/\b1[oº°](?= )/g, 'primer'],
  ],
  words: table(`
    every = todos los, todas las, cada
    daily = diariamente, a diario, diario
    hourly = cada hora, todas las horas
    weekly = semanalmente, todas las semanas, cada semana
    monthly = mensualmente
    every month = todos los meses, cada mes
    yearly = anualmente, todos los anos, cada ano
    every other sunday = un domingo si y otro no, 1 domingo si y otro no
    every other monday = un lunes si y otro no, 1 lunes si y otro no
    every other tuesday = un martes si y otro no, 1 martes si y otro no
    every other wednesday = un miercoles si y otro no, 1 miercoles si y otro no
    every other thursday = un jueves si y otro no, 1 jueves si y otro no
    every other friday = un viernes si y otro no, 1 viernes si y otro no
    every other saturday = un sabado si y otro no, 1 sabado si y otro no
    every other day = un dia si y otro no, un dia si y un dia no, dia por medio
    at = a las, a la
    in = en, dentro de, de aqui a
    half an hour = media hora
    15 minutes = un cuarto de hora
    45 minutes = 3 cuartos de hora
    an hour = una hora
    a week = una semana
    a day = al dia, por dia, un dia
    per week = a la semana, por semana
    per month = al mes, por mes
    and = y, e
    or = o, u
    between = entre, entre las
    to = hasta, a, al, hasta las
    from = desde, desde las, del
    starting = a partir de, a partir de las, a partir del, empezando, comenzando
    except = excepto, excepto los, salvo, menos los
    minute = minuto, min
    minutes = minutos
    hour = hora
    hours = horas
    day = dia
    days = dias
    week = semana
    weeks = semanas
    month = mes
    months = meses
    year = ano
    years = anos
    of the month = del mes, de cada mes, de mes
    today = hoy
    tomorrow = manana
    tomorrow morning = manana por la manana
    tomorrow afternoon = manana por la tarde
    tomorrow night = manana por la noche
    tomorrow at noon = manana al mediodia
    this morning = esta manana
    this afternoon = esta tarde
    tonight = esta noche
    day after tomorrow = pasado manana
    next week = la proxima semana, proxima semana, de la proxima semana, la semana que viene, de la semana que viene
    am = de la manana, de la madrugada
    pm = de la tarde
    at night = de la noche, por la noche, por las noches
    in the morning = por la manana, por las mananas
    in the afternoon = por la tarde, por las tardes
    every morning = cada manana, todas las mananas
    every afternoon = cada tarde, todas las tardes
    every night = cada noche, todas las noches
    noon = mediodia, al mediodia, a mediodia
    midnight = medianoche, a medianoche
    weekday = dia laborable, dia habil, dia de semana
    weekdays = entre semana, dias laborables, los dias laborables, dias habiles, los dias habiles
    weekends = fin de semana, fines de semana, los fines de semana
    first = primer, primero, primera
    second = segundo, segunda
    third = tercer, tercero, tercera
    fourth = cuarto, cuarta
    last = ultimo, ultima
    once = una vez
    twice = 2 veces
    3 times = 3 veces
    4 times = 4 veces
    next = proximo, proxima, siguiente
    this = este, esta
    ago = hace, ayer
    = el, la, los, las, de, recuerdame, por favor
    sunday = domingo, dom
    monday = lunes, lun
    tuesday = martes, mar
    wednesday = miercoles, mie
    thursday = jueves, jue
    friday = viernes, vie
    saturday = sabado, sab
    sundays = domingos, los domingos
    mondays = los lunes
    tuesdays = los martes
    wednesdays = los miercoles
    thursdays = los jueves
    fridays = los viernes
    saturdays = sabados, los sabados
    every sunday = todos los domingos
    every monday = todos los lunes
    every tuesday = todos los martes
    every wednesday = todos los miercoles
    every thursday = todos los jueves
    every friday = todos los viernes
    every saturday = todos los sabados
    january = enero, ene
    february = febrero, feb
    march = marzo
    april = abril, abr
    may = mayo
    june = junio, jun
    july = julio, jul
    august = agosto, ago
    september = septiembre, setiembre, sept
    october = octubre, oct
    november = noviembre, nov
    december = diciembre, dic
  `),
};
