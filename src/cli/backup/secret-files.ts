/** Recognises files with secrets: most by the names that programs give them, keys and logins by content. */
import fs from 'node:fs';
import { errorCode } from '../../errors.ts';

const NAMES = [
  // Files of the home itself.
  /^access\/server\.key$/,
  // The key that push services know the gateway by, and the browsers that it is used for.
  /^access\/push(-keys)?\.json$/,
  /^service\.env[^/]*$/,
  /^\.env[^/]*$/,
  /\.secret\.md$/i,
  // Files of projects. Samples of .env files contain no values.
  /(^|\/)\.env(rc)?$/i,
  /(^|\/)\.env\.(?!(example|sample|template|dist|defaults?|schema)$)[^/]*$/i,
  /(^|\/)(?!\.env)[^/]+\.env$/i,
  /(^|\/)\.?secrets?(\.[\w-]+)?\.(ya?ml|json|toml|ini|properties|txt)$/i,
  /(^|\/)(service[-_]?account|client[-_]secret)[^/]*\.json$/i,
  /\.tfvars(\.json)?$|\.tfstate(\.backup)?$/i,
  // Servers of tools as other programs keep them.
  /(^|\/)(\.?mcp([-_]?(settings|servers|config))?|claude_desktop_config|\.claude)(\.local)?\.json$/i,
  // What editors leave of the configuration, and copies of it in a folder that somebody has made in the home.
  /^[.#][^/]*(config|openai)[^/]*\.(ya?ml|json)[^/]*$/i,
  /^(?!(access|agents|artifacts|conversations|jobs|memory|playbooks|skills|spool|usage|vibers|workspace)\/)[^/]+\/(.*\/)?[^/]*(config|openai)[^/]*\.(ya?ml|json)[^/]*$/i,
  // Credentials of programs.
  /(^|\/)(\.npmrc|\.yarnrc(\.yml)?|[._]netrc|\.pypirc|\.pgpass|pgpass\.conf|\.my\.cnf|\.mylogin\.cnf|\.git-credentials|\.htpasswd|\.dockercfg|\.s3cfg|\.boto)$/i,
  /(^|\/)(\.msmtprc|\.fetchmailrc|\.vault-token|\.vault[-_]pass(word)?|\.terraformrc|kubeconfig|rclone\.conf|auth\.json)$/i,
  /(^|\/)credentials(\.\w+)?$/i,
  /(^|\/)(credentials|\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker|\.password-store)\//i,
  // Keys.
  /(^|\/)id_(rsa|dsa|ecdsa|ed25519)(_sk)?([-_.](?!pub$)[^/]*)?$/i,
  /\.(p12|pfx|jks|keystore|kdbx|ppk)$/i,
];

const MAY_BE_KEYS = /\.(pem|key|crt|cer|asc|gpg)$/i;
const KEY = /-----BEGIN (?:[A-Z\d]+ )*PRIVATE KEY(?: BLOCK)?-----/;
/** Git files whose addresses may contain a login. */
const MAY_LOG_IN = /(^|\/)\.git\/config$|(^|\/)\.gitconfig$|(^|\/)\.gitmodules$/i;
const LOGIN = /:\/\/[^/\s@]+@|extraheader\s*=/i;
const MAX_LOOKED_AT = 256 * 1024;

/**
 * @param name the path from the home, with `/`; a folder's ends with `/`
 * @param file the path to read
 */
export function isSecretFile(name: string, file: string): boolean {
  if (NAMES.some((pattern) => pattern.test(name))) return true;
  if (MAY_BE_KEYS.test(name)) return KEY.test(beginningOf(file));
  return MAY_LOG_IN.test(name) && LOGIN.test(beginningOf(file));
}

/** Returns '' for a file that can't be read; the backup skips it too. */
function beginningOf(file: string): string {
  let fd: number | undefined;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    const buffer = Buffer.alloc(MAX_LOOKED_AT);
    return buffer.toString('latin1', 0, fs.readSync(fd, buffer));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return '';
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}
