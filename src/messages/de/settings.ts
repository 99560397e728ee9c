/** Die Einstellungen auf Deutsch: was sie heißen und was sie bewirken, nach ihrem Pfad. `*` steht für einen Namen. */
export const settings: Readonly<Record<string, { label: string; about?: string }>> = {
  model: {
    label: 'Modell',
    about:
      '`provider/model`; sonst entscheidet der erste Schlüssel eines Anbieters in der Umgebung, oder das eingebaute Modell antwortet',
  },
  fallback: {
    label: 'Ersatzmodelle',
    about: 'Modelle, die der Reihe nach einspringen, wenn das erste scheitert, bevor es etwas getan hat',
  },
  models: {
    label: 'Modelle zur Auswahl',
    about: 'Modelle, die alle mit `/model` wählen dürfen, neben `model` und `fallback`; Besitzer dürfen jedes wählen',
  },
  smallModel: {
    label: 'Kleines Modell',
    about: '`provider/model`, das einer Aufgabe nach der ersten Antwort einen Titel gibt; sonst ist ihr Ziel der Titel',
  },
  maxSteps: {
    label: 'Schritte pro Lauf',
    about: 'Modellaufrufe pro Lauf; `auto` heißt 30, in einem Projekt 60',
  },
  plugins: {
    label: 'Plugins',
    about: 'Erweiterungen: Pakete oder Pfade. Ein Plugin ist Code und darf alles, was das Gateway darf',
  },
  planApproval: {
    label: 'Pläne freigeben',
    about: '`on`: es geschieht nichts, bevor jemand den Plan freigibt',
  },
  language: {
    label: 'Sprache',
    about: 'Sprache des Gateways in Chats: `auto` nimmt die jeder Person; `en`, `de` oder `es` gilt für alle',
  },
  viber: { label: 'Viber', about: 'wer ohne andere Angabe antwortet; sonst `default`' },
  vibers: {
    label: 'Viber zur Auswahl',
    about: 'Viber, die Mitglieder mit `/use` wählen dürfen; Besitzer dürfen jeden wählen',
  },
  'providers.*.baseURL': {
    label: 'Adresse',
    about: 'ein OpenAI-kompatibler Endpunkt, zum Beispiel `http://127.0.0.1:11434/v1`',
  },
  'providers.*.apiKey': { label: 'Schlüssel', about: 'der Schlüssel dafür' },
  'providers.*.headers': { label: 'HTTP-Header', about: 'zusätzliche HTTP-Header' },
  'providers.*.maxOutputTokens': {
    label: 'Längste Antwort',
    about: 'höchstens so viele Tokens hat eine Antwort, mit Gedanken und Aufrufen',
  },
  'prices.*.input': { label: 'Eingabe', about: 'Preis für eine Million Tokens Eingabe; `MODEL` ist `provider/model`' },
  'prices.*.output': { label: 'Ausgabe', about: 'Preis für eine Million Tokens Ausgabe' },
  'prices.*.cachedInput': {
    label: 'Eingabe aus dem Cache',
    about: 'Preis für eine Million Tokens Eingabe aus dem Cache; sonst der von `input`',
  },
  currency: { label: 'Währung', about: 'Währung aller Preise und Höchstbeträge, drei Großbuchstaben' },
  'channels.*.token': { label: 'Token' },
  'channels.*.apiRoot': { label: 'Adresse der API' },
  'channels.*.mode': { label: 'Verbindung' },
  'channels.*.access.dm': { label: 'Direktnachrichten' },
  'channels.*.access.groups': { label: 'Gruppen' },
  'channels.*.access.allow': { label: 'Erlaubte Personen' },
  'channels.*.access.chats': { label: 'Erlaubte Gruppen' },
  'channels.*.access.memory': { label: 'Wo das Gedächtnis gilt' },
  'channels.*.live': { label: 'Fortschritt' },
  'channels.*.injection': { label: 'Nachrichten während der Arbeit' },
  'channels.*.attach': { label: 'Dateien eines Laufs' },
  'channels.*.viber': { label: 'Viber' },
  'channels.*.path': { label: 'Pfad für Anfragen' },
  'channels.telegram.webhook.url': { label: 'Webhook: Adresse' },
  'channels.telegram.webhook.secret': { label: 'Webhook: Geheimnis' },
  'channels.telegram.webhook.path': { label: 'Webhook: Pfad' },
  'channels.telegram.pollSeconds': { label: 'Sekunden pro Abfrage' },
  'channels.telegram.localFiles': { label: 'Ordner eines lokalen Bot-Servers' },
  'channels.discord.cdnRoot': { label: 'Adresse für Dateien' },
  'channels.discord.threads': { label: 'Threads' },
  'channels.discord.guilds.*.id': { label: 'Server: Kennung' },
  'channels.discord.guilds.*.groups': { label: 'Server: Kanäle' },
  'channels.discord.guilds.*.viber': { label: 'Server: Viber' },
  'channels.discord.archiveMinutes': { label: 'Minuten, bis ein Thread archiviert wird' },
  'channels.slack.botToken': { label: 'Token des Bots' },
  'channels.slack.appToken': { label: 'Token der App' },
  'channels.slack.signingSecret': { label: 'Signaturgeheimnis' },
  'channels.slack.command': { label: 'Befehl' },
  'channels.terminal.enabled': { label: 'Eingeschaltet' },
  'people.*.name': { label: 'Name', about: 'Buchstaben, Ziffern, Leerzeichen und `. _ -`, höchstens 64 Zeichen' },
  'people.*.role': { label: 'Rolle', about: '`owner` oder `member`; Besitzer lassen andere herein' },
  'people.*.ids': {
    label: 'Konten',
    about: 'telegram:1001, discord:2002 oder slack:T01:U03; ein Konto gehört nur einer Person',
  },
  'people.*.viber': { label: 'Viber', about: 'wer auf ihre Direktnachrichten antwortet' },
  'conversations.*.viber': {
    label: 'Viber',
    about:
      'wer in dieser Unterhaltung antwortet; `PLACE` ist telegram:-1001234567890, discord:99887 oder slack:C024BE91L, für einen Thread oder ein Thema darin mit `:THREAD`',
  },
  'http.host': {
    label: 'Adresse',
    about: 'Adresse, auf der das Gateway lauscht; jede andere als die des eigenen Rechners braucht `http.token`',
  },
  'http.port': {
    label: 'Port',
    about: 'bei 0 wählt das System; ohne Angabe ein freier, wenn 6009 belegt ist',
  },
  'http.token': {
    label: 'Token',
    about: 'Geheimnis für alle Anfragen; nur `/healthz` und der bloße Zustand von `/readyz` brauchen keins',
  },
  'http.clients.*.token': {
    label: 'Token',
    about: 'was ein Programm als `Authorization: Bearer ...` sendet; der Name `owner` ist vergeben',
  },
  'http.clients.*.role': {
    label: 'Rolle',
    about: '`owner`, `member` (ohne Angabe) oder `guest`; höchstens das, was die Person darf',
  },
  'http.clients.*.person': {
    label: 'Person',
    about: 'ein Name aus `people`, für den es handelt; sonst ist es `api:NAME`',
  },
  'http.origins': {
    label: 'Weitere Adressen',
    about:
      'andere Adressen (`https://viber.example.org`), unter denen das Gateway antwortet; Webhooks und `/healthz` nehmen jede an',
  },
  'memory.maxMemoryTokens': {
    label: 'Tokens für das Gedächtnis',
    about: 'Tokens aus MEMORY.md und den Tagesnotizen pro Anfrage',
  },
  'memory.maxTaskTokens': { label: 'Tokens für den Plan', about: 'Tokens des Plans pro Anfrage' },
  'memory.maxDailyLogs': { label: 'Tagesnotizen', about: 'so viele der neuesten Tagesnotizen werden gelesen' },
  'memory.truncationStrategy': {
    label: 'Kürzen',
    about: 'was von einem zu langen Text bleibt: `head` (der Anfang), `tail` (das Ende) oder `smart`',
  },
  'memory.injection': {
    label: 'Platz in der Anfrage',
    about: 'wo das Gedächtnis steht: im `system`-Prompt oder als `message` vor dem Gespräch',
  },
  'memory.autoAccept': {
    label: 'Ohne Rückfrage merken',
    about: 'merkt sich eigene, vollständige Aussagen eines Besitzers ohne Rückfrage; alles andere wartet weiterhin',
  },
  'memory.retention.dailyLogsDays': {
    label: 'Tagesnotizen aufheben',
    about: 'so viele Tage bleiben Tagesnotizen',
  },
  'memory.retention.indexRebuildDays': {
    label: 'Index erneuern',
    about: 'nach so vielen Tagen entsteht der Index neu',
  },
  'memory.excludePatterns': {
    label: 'Ausgenommene Dateien',
    about: 'Dateien im Ordner des Vibers, die nie in den Index oder in eine Anfrage kommen',
  },
  'memory.index': {
    label: 'Index',
    about: 'Index für die Suche: `off` (die Suche liest die Dateien), `on` oder `auto` (ab 10 Dateien oder 50 KB)',
  },
  'memory.embedding': {
    label: 'Suche nach Bedeutung',
    about: '`provider/model` für eine Suche nach der Bedeutung; sonst wird nach Wörtern gesucht',
  },
  'history.maxMessages': { label: 'Nachrichten', about: 'so viele der neuesten Nachrichten pro Anfrage' },
  'history.maxTokens': {
    label: 'Tokens',
    about:
      'so viele der neuesten Tokens pro Anfrage; `auto` ist die Hälfte dessen, was das Modell fasst, höchstens 100.000 (8.000, wenn das unbekannt ist)',
  },
  'history.compaction': {
    label: 'Zusammenfassen',
    about: 'fasst zusammen, was nicht mehr passt; im Protokoll des Gesprächs bleibt jedes Wort',
  },
  'voice.model': {
    label: 'Modell',
    about:
      '`provider/model`, das mitschreibt: `openai`, `groq`, `deepgram` oder ein Endpunkt aus `providers`; sonst entscheidet der erste von `OPENAI_API_KEY`, `GROQ_API_KEY` und `DEEPGRAM_API_KEY`',
  },
  'voice.command': {
    label: 'Programm',
    about:
      'ein Programm auf dem Rechner mit Argumenten, das die Worte ausgibt; `{file}` ist die Aufnahme. Es läuft ohne deine Schlüssel, höchstens fünf Minuten und nach `voice.model`',
  },
  'voice.language': {
    label: 'Sprache',
    about: 'zwei Buchstaben, wenn alle dieselbe sprechen; sonst wird sie erkannt',
  },
  'voice.maxSeconds': { label: 'Längste Aufnahme', about: 'längere Aufnahmen werden nicht mitgeschrieben' },
  'voice.echo': { label: 'Verstandenes zitieren', about: 'zitiert vor der Antwort, was verstanden wurde' },
  'voice.reply': { label: 'Gesprochene Antworten', about: '`same` beantwortet Sprachnachrichten auch gesprochen' },
  'voice.speech': {
    label: 'Modell zum Sprechen',
    about: '`provider/model`, das spricht, mit `/audio/speech` von OpenAI',
  },
  'voice.speaker': { label: 'Stimme', about: 'seine Stimme' },
  'pictures.model': {
    label: 'Modell',
    about: '`provider/model`, das zeichnet: `google`, `openai` oder ein Endpunkt aus `providers`',
  },
  'pictures.perDay': { label: 'Bilder pro Tag', about: 'höchstens so viele Bilder pro Person und Tag (UTC)' },
  'projects.roots': {
    label: 'Ordner',
    about:
      'Ordner mit Projekten, an denen aus einem Chat gearbeitet werden darf; als `{folder, network, worktree}` erreichen Befehle dort `none`, `registries` oder `all`, und Aufgaben bekommen eigene Git-Worktrees (`true`)',
  },
  'projects.people': {
    label: 'Personen',
    about: 'Namen aus `people`, die neben den Besitzern an Projekten arbeiten dürfen',
  },
  'projects.groups': {
    label: 'Gruppen',
    about: 'Gruppen und Kanäle, in denen sie das dürfen; sonst nur in Direktnachrichten',
  },
  'skills.env.*.*': {
    label: 'Variable',
    about: 'eine Variable für Skripte des Skills `NAME`; in ihrer Ausgabe wird sie verdeckt',
  },
  'skills.network': {
    label: 'Netzwerk',
    about: 'Skills, deren Skripte ins Netzwerk dürfen, obwohl ihre Dateien nicht danach fragen',
  },
  'skills.timeout': {
    label: 'Zeitgrenze',
    about: 'so viele Sekunden darf ein Skript laufen, wenn sein Skill nichts anderes sagt',
  },
  'skills.webOrigins': {
    label: 'Weitere Webadressen',
    about:
      'private oder ungewöhnliche Adressen (`https://wiki.intra:8443`), die gelesen und von denen Skills hinzugefügt werden dürfen',
  },
  'skills.maxPromptTokens': {
    label: 'Tokens für Beschreibungen',
    about: 'Tokens für die Beschreibungen von Skills; von allen anderen folgen die Namen',
  },
  'skills.registry': { label: 'Registry', about: 'npm-Registry für Skills' },
  'skills.shell': {
    label: 'Befehle',
    about: 'Befehle in der Sandbox: `off`, `on` (ohne Netzwerk) oder `network`',
  },
  'search.by': {
    label: 'Suchdienst',
    about: 'wer sucht: `auto`, `off`, `provider`, `searxng`, `brave`, `tavily`',
  },
  'search.url': {
    label: 'Adresse',
    about: 'Adresse von SearXNG (sonst `http://127.0.0.1:8080`), oder eine andere für Brave oder Tavily',
  },
  'search.apiKey': {
    label: 'Schlüssel',
    about: 'Schlüssel für Brave oder Tavily; oder setze `BRAVE_API_KEY` oder `TAVILY_API_KEY`',
  },
  'search.model': {
    label: 'Modell',
    about: '`provider/model`, dessen Anbieter sucht, wenn es nicht der des antwortenden Modells ist',
  },
  'web.hosts': {
    label: 'Erlaubte Seiten',
    about:
      'Seiten, die ohne Rückfrage gelesen werden: `example.org`, `*.example.org` (nur Subdomains), `example.org:8443`',
  },
  'mcp.*.command': {
    label: 'Programm',
    about: 'Programm eines MCP-Servers; seine Werkzeuge heißen `NAME_TOOL`',
  },
  'mcp.*.args': { label: 'Argumente', about: 'seine Argumente' },
  'mcp.*.env': { label: 'Umgebung', about: 'seine Umgebungsvariablen neben PATH und HOME' },
  'mcp.*.url': { label: 'Adresse', about: 'die Adresse des Servers, anstelle von `command`' },
  'mcp.*.headers': { label: 'HTTP-Header', about: 'HTTP-Header für `url`' },
  'mcp.*.transport': {
    label: 'Übertragung',
    about: '`http` (Streamable HTTP) oder `sse` (ältere Server); sonst werden sie in dieser Reihenfolge versucht',
  },
  'mcp.*.oauth': {
    label: 'Anmeldung',
    about: 'für Anmeldungen: `clientId`, `clientSecret` mit seinem `issuer`, und `scopes`',
  },
  'mcp.*.tools': {
    label: 'Werkzeuge',
    about: 'nur diese Werkzeuge; ein Lauf bekommt höchstens 100 aus Skills und Servern',
  },
  'mcp.*.trusted': {
    label: 'Vertrauen',
    about: 'glaubt dem Server, wenn er sagt, dass ein Werkzeug nur liest und niemanden sonst erreicht',
  },
  'jobs.timezone': { label: 'Zeitzone', about: 'Zeitzone der Aufträge; sonst die des Rechners' },
  'jobs.minMinutes': {
    label: 'Kürzester Abstand',
    about: 'so viele Minuten liegen mindestens zwischen zwei Läufen eines im Chat angelegten Auftrags',
  },
  'jobs.max': { label: 'Höchste Anzahl', about: 'höchstens so viele Aufträge lassen sich in Chats anlegen' },
  'jobs.keepDays': { label: 'Aufheben', about: 'so viele Tage bleiben die Aufgaben vergangener Läufe' },
  'receipt.weekly': {
    label: 'Jede Woche',
    about: 'wie viele Nachrichten beantwortet wurden, jeden Montag um 9:00, oder `off`',
  },
  'mesh.maxDepth': {
    label: 'Längste Kette',
    about: 'höchstens so viele Agenten fragen einander nacheinander',
  },
  'mesh.maxCalls': { label: 'Fragen pro Lauf', about: 'höchstens so viele Fragen an Agenten in einem Lauf' },
  'limits.runs': {
    label: 'Gleichzeitige Läufe',
    about: 'gleichzeitige Läufe; ab zweien ist einer den Besitzern vorbehalten',
  },
  'limits.runsPerPerson': {
    label: 'Gleichzeitige Läufe pro Person',
    about: 'gleichzeitige Läufe einer Person; für Besitzer gilt das nicht',
  },
  'limits.queue': { label: 'Warteschlange', about: 'wartende Nachrichten pro Unterhaltung' },
  'limits.messagesPerMinute': {
    label: 'Nachrichten pro Minute',
    about: 'Nachrichten, Befehle und Tastendrücke einer Person pro Minute; für Besitzer gilt das nicht',
  },
  'limits.downloadBytes': { label: 'Größte Datei', about: 'so viele Bytes darf eine geladene Datei haben' },
  'limits.filesPerMessage': { label: 'Dateien pro Nachricht', about: 'so viele Dateien werden pro Nachricht geladen' },
  'limits.bytesPerGuest': {
    label: 'Speicherplatz pro Gast',
    about: 'Speicherplatz für die Aufgaben eines Gasts: Dateien, Gespräche, Dateien im Arbeitsordner; 0: keine Grenze',
  },
  'limits.bytesPerMember': { label: 'Speicherplatz pro Mitglied', about: 'dasselbe für ein Mitglied' },
  'limits.freeBytes': {
    label: 'Freier Speicherplatz',
    about: 'ist weniger frei, wird keine neue Nachricht angenommen',
  },
  'limits.tokensPerDay': {
    label: 'Tokens pro Tag',
    about: 'Tokens aller Läufe an einem Tag, mit Embeddings; 0: keine Grenze',
  },
  'limits.costPerDay': {
    label: 'Kosten pro Tag',
    about: 'Geld für alle Läufe an einem Tag, in `currency`; 0: keine Grenze',
  },
  'limits.tokensPerPersonPerDay': {
    label: 'Tokens pro Person und Tag',
    about: 'Tokens pro Person und Tag; 0: keine Grenze',
  },
  'limits.costPerPersonPerDay': {
    label: 'Kosten pro Person und Tag',
    about: 'Geld pro Person und Tag; 0: keine Grenze',
  },
  'timeouts.connect': { label: 'Verbindung', about: 'Sekunden, bis der Endpunkt eines Modells antwortet' },
  'timeouts.firstToken': { label: 'Erstes Wort', about: 'Sekunden bis zum ersten Stück einer Antwort' },
  'timeouts.idle': { label: 'Pause', about: 'Sekunden zwischen zwei Stücken' },
  'timeouts.run': { label: 'Ganzer Lauf', about: 'Sekunden für einen ganzen Lauf' },
  'engine.kind': {
    label: 'Art',
    about: '`local`: Dateien auf diesem Rechner, ein Prozess; `redis`: ein Server, den sich mehrere teilen',
  },
  'engine.url': { label: 'Adresse', about: 'Adresse mit `redis://` oder `rediss://` und ihrem Passwort' },
  'engine.roles': {
    label: 'Aufgaben dieses Prozesses',
    about: 'was dieser Prozess tut; auch als ein Text mit Kommas',
  },
  'engine.leaseMs': {
    label: 'Übernahme nach',
    about: 'Millisekunden, bis die Arbeit eines stillen Prozesses an einen anderen geht',
  },
  'engine.shards': {
    label: 'Warteschlangen',
    about: 'Warteschlangen, auf die sich die Unterhaltungen verteilen; für alle Prozesse gleich und nie zu ändern',
  },
  'engine.replicas': {
    label: 'Kopien',
    about: 'so viele Kopien müssen eine Nachricht geschrieben haben, bevor sie bestätigt wird',
  },
  'engine.dedupeDays': {
    label: 'Wiederholungen erkennen',
    about: 'so viele Tage lang wird ein Ereignis erkannt, das noch einmal kommt',
  },
  'engine.runDir': {
    label: 'Ordner für Sperren',
    about: 'Ordner dieses Prozesses für Sperren und Sockets; sonst einer des Systems',
  },
  'hub.url': {
    label: 'Adresse',
    about: 'WebSocket eines Hubs, mit dem sich das Gateway verbindet; `wss://`, außer auf diesem Rechner',
  },
  'hub.token': {
    label: 'Token',
    about: 'wird als `Authorization: Bearer ...` gesendet; ohne ihn ist der Hub aus',
  },
  'hub.viberId': { label: 'Viber', about: 'der Viber für seine Aufgaben' },
  'hub.role': { label: 'Rolle', about: 'was er darf: `owner`, `member` oder `guest`' },
  'telemetry.endpoint': {
    label: 'Adresse',
    about: 'OTLP-Sammler, zum Beispiel `http://127.0.0.1:4318`; ohne ihn gibt es keine Traces',
  },
  'telemetry.headers': { label: 'HTTP-Header', about: 'gehen an den Sammler, zum Beispiel ein Schlüssel' },
  'telemetry.sample': { label: 'Anteil', about: 'Anteil der Nachrichten, von 0 bis 1; sonst alle' },
  'telemetry.service': { label: 'Name', about: 'Name in Traces; sonst `openviber-gateway`' },
  'push.contact': {
    label: 'Kontakt',
    about: '`https:` oder `mailto:` für Betreiber von Push-Diensten; sonst die erste https-Adresse',
  },
  'push.services': { label: 'Eigene Push-Dienste', about: 'Push-Dienste ohne öffentliche https-Adresse' },
  'log.level': {
    label: 'Stufe',
    about: '`trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`',
  },
};
