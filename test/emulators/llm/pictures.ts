/**
 * Refuses pictures as providers do: a type that doesn't match the bytes, more than 4 MB of base64 (Groq) or 5 MB
 * (Anthropic), edges above 8,000 pixels, animations, and truncated files.
 * https://platform.claude.com/docs/en/build-with-claude/vision https://console.groq.com/docs/vision
 */
const MAX_BASE64 = 4 * 1024 * 1024;
const MAX_EDGE = 8_000;
const BEGINNINGS: readonly [string, string][] = [
  ['image/png', '\x89PNG'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/webp', 'RIFF'],
];

const MANY = 20;
const MAX_EDGE_OF_MANY = 2_000;
const MAX_REQUEST_BASE64 = 32 * 1024 * 1024;

/** The text of the refusal. */
export function wrongPicture(
  body: Record<string, unknown>,
  given: true | { most: number } | 'xai',
): string | undefined {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const all = [...JSON.stringify(messages).matchAll(/data:image\/[a-z]+;base64,([^"]+)/g)].map(([, data = '']) => data);
  // As vLLM words it.
  if (typeof given === 'object' && all.length > given.most)
    return `At most ${given.most} image(s) may be provided in one request.`;
  if (all.reduce((sum, data) => sum + data.length, 0) > MAX_REQUEST_BASE64) return 'Request exceeds the maximum size';
  const isLarge = (data: string) => {
    const bytes = Buffer.from(data.slice(0, 64), 'base64');
    return bytes[0] === 0x89 && Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) > MAX_EDGE_OF_MANY;
  };
  if (all.length > MANY && all.some(isLarge))
    return 'At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels';
  for (const [at, message] of messages.entries()) {
    const parts: unknown[] = Array.isArray(message?.content) ? message.content : [];
    for (const [index, part] of parts.entries()) {
      const url = (part as { image_url?: { url?: string } })?.image_url?.url ?? '';
      const [, type = '', base64 = ''] = /^data:([^;]+);base64,(.*)$/.exec(url) ?? [];
      const isForeign = given === 'xai' && !/^image\/(?:png|jpeg)$/.test(type);
      if (type !== '' && isForeign) return `Unsupported content-type encountered when reading the image: ${type}`;
      const why = type === '' ? undefined : wrong(type, base64);
      if (why !== undefined) return `messages.${at}.content.${index}.image.source.base64: ${why}`;
    }
  }
  return undefined;
}

function wrong(type: string, base64: string): string | undefined {
  if (base64.length > MAX_BASE64) return `image exceeds 4 MB maximum: ${base64.length} bytes > ${MAX_BASE64} bytes`;
  const bytes = Buffer.from(base64, 'base64');
  const head = bytes.toString('latin1', 0, 16);
  const own = BEGINNINGS.find(([, mark]) => head.startsWith(mark))?.[0];
  if (own === undefined) return 'The image media type is not supported';
  if (own !== type)
    return `The image was specified using the ${type} media type, but the image appears to be a ${own} image`;
  if (own !== 'image/png') return undefined;
  if (bytes.readUInt32BE(16) > MAX_EDGE || bytes.readUInt32BE(20) > MAX_EDGE)
    return 'At least one of the image dimensions exceed max allowed size: 8000 pixels';
  return bytes.includes('IEND') ? undefined : 'Could not process image';
}
