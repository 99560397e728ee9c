/** Ein Gespräch als Dateien zum Aufheben. */
export const exported = {
  done: 'Hier ist, was in **{title}** gesagt wurde, {n, plural, one {eine Nachricht} other {# Nachrichten}}: eine Datei zum Lesen, eine für Programme.',
  cut: 'Für eine Datei war es zu lang, daher {n, plural, one {fehlt die älteste Nachricht} other {fehlen die ältesten # Nachrichten}}.',
  hidden:
    '{n, plural, one {Eine Nachricht} other {# Nachrichten}}, anderswo unter vier Augen gesagt, {n, plural, one {fehlt} other {fehlen}} darin.',
  alone: 'Nur du bekommst das.',
  seen: 'Alle hier können das lesen; frag mich direkt, wenn nur du es bekommen sollst.',
  nothing: 'Es gibt noch nichts zum Aufheben: Hier wurde nichts gesagt.',
} as const;
