/** The first words with somebody: before they are let in, and right after. */
export const contact = {
  nobodys:
    'Hello! Nobody has made me theirs yet. If I am yours, run this where I was started:\n\n```\n{command}\n```\n\nThen I answer what you wrote here. The code works for an hour.',
  lost: 'Hello! I have lost the list of who may write to me. If I am yours, run this where I was started:\n\n```\n{command}\n```\n\nThen I answer what you wrote here. The code works for an hour.',
  stranger:
    'Hello! I do not know you yet. My owner can let you in with this code:\n\n```\n{code}\n```\n\nIt works for an hour, and I answer what you wrote as soon as you are in. If you already talk to me somewhere else, give the command “link” there, and then here with the code it shows.',
  owner:
    'You are in{comma}{name}, and I am yours. {isWritten, select, yes {I am looking at what you wrote.} other {Write to me as you would to a colleague; /help shows what I can do.}}',
  in: 'You are in{comma}{name}. {isWritten, select, yes {I am looking at what you wrote.} other {Write to me as you would to a colleague; /help shows what I can do.}}',
} as const;
