/** Lo que los canales dicen de sí mismos en `viber doctor`, en el asistente y en los errores al arrancar. */
import { translate } from '../arguments.ts';
import { checks as english } from '../en/checks.ts';

export const checks = translate(english)({
  slackBot: '{name} contesta en el espacio de trabajo {team}',
  slackScopesUnknown: 'Slack no dijo qué permisos tiene la aplicación',
  slackScopesAll: 'están concedidos todos los permisos que hacen falta',
  slackScopesMost: 'está todo lo necesario, pero {what}',
  slackScopes:
    'a la aplicación le faltan los permisos {scopes}; añádelos en OAuth & Permissions, en {page}, e instala la aplicación otra vez',
  slackNoBot: 'este no es el token de un bot; empieza por xoxb-',
  slackNoChannel: 'la aplicación no está en ningún canal {chat}; invítala allí o corrige el ID',
  slackSocket: 'Socket Mode se puede abrir con el token de nivel de aplicación',
  slackSecret: 'el signing secret está puesto; solo una petición de Slack puede mostrar que es el correcto',
  slackNoSecret: 'el modo http necesita el signing secret; Basic Information de la aplicación en {page}',
  slackNoConnections: 'al token de nivel de aplicación le falta el permiso connections:write',
  slackAppTokenForm: 'un token de nivel de aplicación empieza por xapp-',
  slackBotToken:
    'Slack no acepta este token{code}; OAuth & Permissions de la aplicación en {page} muestra el Bot User OAuth Token, xoxb-…',
  slackAppToken:
    'Slack no acepta este token de nivel de aplicación{code}; Basic Information, App-Level Tokens, de la aplicación en {page}: xapp-…, con el permiso connections:write',
  discordContent: 'puede leer el texto de los mensajes',
  discordStarts: 'quedan {left} de {total} arranques para hoy',
  discordNoStarts: 'el bot ya gastó sus arranques de hoy; Discord permite más mañana',
  inNoServer: 'el bot no está en ningún servidor; invítalo: {link}',
  discordNotInServer: 'el bot no está en el servidor {id}; invítalo: {link}',
  discordLacks: 'en {server} le faltan al bot {permissions}; dale esos permisos a su rol, o invítalo otra vez: {link}',
  discordHas: 'tiene los permisos que necesita en {server}',
  discordNoChannel: 'el bot no ve ningún canal {chat}; dale allí a su rol «Ver canales», o corrige el número',
  discordToken: 'Discord no acepta este token; en {page}, la aplicación, página «Bot», «Reset Token» te da uno nuevo',
  discordIntent:
    'Discord le oculta a este bot el texto de los mensajes: en {page}, la aplicación, página «Bot», activa «Message Content Intent» (MESSAGE_CONTENT) en «Privileged Gateway Intents»',
  telegramToken: 'Telegram no acepta este token; @BotFather en Telegram muestra el correcto',
  telegramUrl: 'Telegram no la acepta: {why}',
  timezoneNote:
    '{east, select, yes {TZ es {tz}, que según POSIX significa al este de Greenwich ({zone}). Para una zona al oeste, cambia el signo o pon un nombre como Europe/Berlin.} other {TZ es {tz}, que según POSIX significa al oeste de Greenwich ({zone}). Para una zona al este, cambia el signo o pon un nombre como Europe/Berlin.}}',
  agentNoFile: '{file} no es un archivo que se pueda leer',
  agentUnfinished: '{file} todavía se está escribiendo',
  agentChanged: '{file} cambió mientras se leía',
  agentProblem: '{problem}',
  agentBoth: '{first}; {second}',
  agentKept: '{problem}; sigue valiendo la versión anterior',
  agentWarning: '{file}: {what}',
});
