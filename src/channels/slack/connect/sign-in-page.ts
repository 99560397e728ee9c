/** Recognises Slack's sign-in page, which it serves with status 200 instead of a file. Pure. */

const CANVAS = /\bquip-canvas-content\b/;
const FORM = /\baction="[^"]{0,200}\b(?:sign|log)-?in\b|\btype="password"|\bdata-qa="(?:sign|log)_?in/i;
const REDIRECT = /(?:"|&quot;)shouldRedirect(?:"|&quot;)\s*:/;
const TITLE = /<title[^>]{0,200}>\s*(?:sign|log)[\s-]?in\s*(?:<|[|·–—-]|to\b|(?:on|at)\b)/i;
/** The largest page that is judged by its visible text alone. */
const MAX_SMALL = 4000;
const WORDS = /^(?:please )?(?:sign|log)[\s-]?in(?: (?:to|at|on) [\w .-]{1,40})?[.!]?$/i;

export function isSignIn(page: string): boolean {
  if (CANVAS.test(page)) return false;
  if (FORM.test(page) || REDIRECT.test(page) || TITLE.test(page)) return true;
  if (page.length > MAX_SMALL) return false;
  const visible = page.replace(/<(title|script|style)\b[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
  return WORDS.test(visible.replace(/\s+/g, ' ').trim());
}
