/** The Board, the viber's page in a browser. */
export const board = {
  link: 'Open this within five minutes; it logs you in once:',
  hereOnly:
    'It opens on the machine I run on. From another one, first make a tunnel with `ssh -L` for its port, and then open the link there.',
  anywhere: "Don't pass it on: the first person who opens it is logged in as you.",
  ownersOnly: 'The Board is for my owners only.',
  directOnly: 'I give the link to the Board only in a direct message: send me /board there.',
  notHere: 'The Board opens once the whole gateway runs: start it with `{start}`, and send /board again.',
  notServed:
    "The Board can't be reached safely here: set http.host to 127.0.0.1, or list the https address of a proxy under http.origins.",
} as const;
