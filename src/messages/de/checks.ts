/** Was Kanäle über sich selbst herausfinden, für `viber doctor`, den Assistenten und die Fehler beim Start. */
import { translate } from '../arguments.ts';
import * as english from '../en/checks.ts';

export const checks = translate(english.checks)({
  slackBot: '{name} antwortet im Workspace {team}',
  slackScopesUnknown: 'Slack hat nicht gesagt, welche Scopes die App hat',
  slackScopesAll: 'alle nötigen Scopes sind erteilt',
  slackScopesMost: 'alles Nötige ist da, aber {what}',
  slackScopes:
    'der App fehlen die Scopes {scopes}; ergänze sie auf {page} unter „OAuth & Permissions“ und installiere die App neu',
  slackNoBot: 'das ist nicht das Token eines Bots; es beginnt mit xoxb-',
  slackNoChannel: 'die App ist in keinem Kanal {chat}; lade sie dorthin ein oder korrigiere die ID',
  slackSocket: 'mit dem App-Token lässt sich der Socket Mode öffnen',
  slackSecret: 'das Signing Secret ist gesetzt; ob es stimmt, zeigt erst eine Anfrage von Slack',
  slackNoSecret: 'mode http braucht das Signing Secret; es steht bei der App auf {page} unter „Basic Information“',
  slackNoConnections: 'dem App-Token fehlt der Scope connections:write',
  slackAppTokenForm: 'ein App-Token beginnt mit xapp-',
  slackBotToken:
    'Slack nimmt dieses Token nicht an{code}; bei der App auf {page} steht unter „OAuth & Permissions“ das Bot User OAuth Token, xoxb-…',
  slackAppToken:
    'Slack nimmt dieses App-Token nicht an{code}; bei der App auf {page} steht es unter „Basic Information“, „App-Level Tokens“: xapp-…, mit dem Scope connections:write',
  discordContent: 'der Bot darf den Text von Nachrichten lesen',
  discordStarts: '{left} von {total} Starts sind heute noch frei',
  discordNoStarts: 'der Bot hat seine Starts für heute verbraucht; morgen erlaubt Discord wieder welche',
  inNoServer: 'der Bot ist auf keinem Server; lade ihn ein: {link}',
  discordNotInServer: 'der Bot ist nicht auf dem Server {id}; lade ihn ein: {link}',
  discordLacks:
    'auf {server} fehlen dem Bot die Rechte {permissions}; gib sie seiner Rolle oder lade ihn neu ein: {link}',
  discordHas: 'auf {server} hat der Bot die nötigen Rechte',
  discordNoChannel:
    'der Bot sieht keinen Kanal {chat}; gib seiner Rolle dort das Recht „View Channels“ oder korrigiere die Nummer',
  discordToken:
    'Discord nimmt dieses Token nicht an; ein neues gibt es auf {page} bei der Anwendung, Seite „Bot“, „Reset Token“',
  discordIntent:
    'Discord enthält diesem Bot den Text von Nachrichten vor: Schalte auf {page} bei der Anwendung, Seite „Bot“, unter „Privileged Gateway Intents“ den „Message Content Intent“ ein (MESSAGE_CONTENT)',
  telegramToken: 'Telegram nimmt dieses Token nicht an; das richtige zeigt @BotFather in Telegram',
  telegramUrl: 'Telegram nimmt sie nicht an: {why}',
  timezoneNote:
    '{east, select, yes {TZ ist {tz}, das heißt nach POSIX: östlich von Greenwich ({zone}). Für eine Zone im Westen dreh das Vorzeichen um oder setze einen Namen wie Europe/Berlin.} other {TZ ist {tz}, das heißt nach POSIX: westlich von Greenwich ({zone}). Für eine Zone im Osten dreh das Vorzeichen um oder setze einen Namen wie Europe/Berlin.}}',
  agentNoFile: '{file} ist keine lesbare Datei',
  agentUnfinished: '{file} wird gerade noch geschrieben',
  agentChanged: '{file} hat sich beim Lesen geändert',
  agentProblem: '{problem}',
  agentBoth: '{first}; {second}',
  agentKept: '{problem}; die Fassung davor gilt weiter',
  agentWarning: '{file}: {what}',
});
