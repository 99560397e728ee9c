/** A conversation as files to keep. */
export const exported = {
  done: 'Here is what was said in **{title}**, {n, plural, one {one message} other {# messages}}: one file to read, one for programs.',
  cut: 'It was too long for one file, so the oldest {n, plural, one {message is} other {# messages are}} left out.',
  hidden:
    '{n, plural, one {One message} other {# messages}} said elsewhere in private {n, plural, one {is} other {are}} not in it.',
  alone: 'Only you get it.',
  seen: 'Everybody here can read it; ask me in a direct message to get it alone.',
  nothing: 'There is nothing to export yet: nothing was said here.',
} as const;
