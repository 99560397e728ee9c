/** Voice messages that could not be heard. */
export const voice = {
  unsetOwner:
    'I cannot listen to voice messages yet. Set one of {keys}, or name a program of yours in voice.command, start me again, and send it once more. I have kept the recording.',
  unset: 'I cannot listen to voice messages here yet. Please write it to me instead.',
  busy: 'I could not listen to your voice message: the service that writes it down did not answer. I have kept it; press Retry in a moment, or write it to me.',
  keyOwner:
    'I could not listen to your voice message: {reason} Please check {setting}. I have kept it; press Retry when that is done.',
  key: 'I could not listen to your voice message: something is not set up right. Please write it to me instead.',
  unreadable:
    'I could not make out your voice message: the recording cannot be read. Please send it again, or write it to me.',
  long: 'Your voice message is too long for me. Please send it in shorter pieces, or write it to me.',
  empty: 'I heard nothing in your voice message. Please say it again, or write it to me.',
  again: 'Please try my voice message again.',
} as const;
