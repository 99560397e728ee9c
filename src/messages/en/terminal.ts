/** The terminal's own texts. */
export const terminal = {
  greeting: "Hi, I'm your viber. Type /help to see what I can do; exit or Ctrl-D leaves.",
  moment: 'One moment …',
  again: 'Press Ctrl-C again to leave.',
  stopping: 'Stopping … Press Ctrl-C again to leave.',
  noButton: 'There is no button {n}.',
  decided: 'That is already decided, so {n} does nothing now.',
  olderButton:
    'Did you mean the button "{label}" further up? Press it with !{n}. If you mean the number {n}, add a word to it.',
  notTaken: "This wasn't accepted: {why}",
  pasted: '[pasted text {n}: {lines, plural, one {one line} other {{lines, number} lines}}]',
  moreLines: '… and {n, plural, one {one more line} other {{n, number} more lines}}',
  moreChoices: '… and {n, number} more',
  searching: 'What you typed before, with: {part} (Ctrl-R: further back, Esc: leave it)',
  notFound: 'Nothing you typed before has: {part} (Esc: leave it)',
  noInput:
    'There is no input here, so I continue without this terminal. To talk to me, run "{chat}" or "{board}". To stop me, press Ctrl-C or send SIGTERM.',
  stillWorking: "I'm still working on this. The answer comes when it's ready, or after the next start.",
  unanswered: 'Still waiting for your answer:',
  lost: "I've been stopped. What you wrote is kept, and answered after the next start.",
} as const;
