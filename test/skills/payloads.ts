// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of the shell
/** Values of parameters made to be run by a shell that meets them unquoted, in a file name, in an option, in a log line. */

/** @param touch a command that leaves a trace */
export function payloads(touch: string): string[] {
  const wrapped = WRAPPERS.map((wrap) => wrap.replaceAll('CMD', touch));
  return [...new Set([...wrapped, ...OPTIONS, ...GLOBS, ...ENVIRONMENT, ...UNICODE, ...MIXED(touch)])];
}

// biome-ignore format: a row is a line
const WRAPPERS = [
  ...['$(CMD)', '`CMD`', '"$(CMD)"', "'$(CMD)'", '"`CMD`"', '${x:-$(CMD)}', '${x:=`CMD`}', '$((`CMD`))', '$[`CMD`]', '$(<CMD)'],
  ...['; CMD', ';CMD;', '&& CMD', '|| CMD', '| CMD', '|& CMD', '& CMD', '&CMD&', '\nCMD', '\nCMD\n', '\r\nCMD\r\n', '\rCMD'],
  ...['"; CMD; "', "'; CMD; '", '"\nCMD\n"', "'\nCMD\n'", '" && CMD && "', "' || CMD || '", '") ; CMD ; ("', "') ; CMD ; ('"],
  ...['\\"; CMD; \\"', "\\'; CMD; \\'", '\\\nCMD', '\\; CMD', '\\`CMD\\`', '\\$(CMD)', '"\\$(CMD)"', "'\\''$(CMD)'\\''"],
  ...['> /dev/null; CMD', '< /dev/null; CMD', '>(CMD)', '<(CMD)', '2>&1; CMD', '<<EOF\n$(CMD)\nEOF', "<<'EOF'\nEOF\nCMD", '<<<$(CMD)'],
  ...['{ CMD; }', '(CMD)', '{CMD,}', '! CMD', 'if CMD; then CMD; fi', 'while CMD; do CMD; done', 'case x in *) CMD;; esac', 'f() { CMD; }; f'],
  ...['eval CMD', 'exec CMD', 'trap "CMD" EXIT', "trap 'CMD' 0", '. CMD', 'source CMD', 'alias x="CMD"; x', 'sh -c "CMD"', 'bash -c "CMD"', 'env CMD'],
  ...['# \nCMD', '#\rCMD', ': ; CMD', 'x=y CMD', 'x="$(CMD)"', 'a[$(CMD)]', 'a[$(CMD)]=1', 'x[0$(CMD)]', 'PATH=. CMD', 'IFS=/ CMD', 'time CMD', 'coproc CMD'],
  ...['EOF\nCMD\nEOF', "'EOF'\nCMD", '```\nCMD\n```', '```sh\nCMD\n```', '---\nCMD', '</script>CMD', '*/ CMD /*', '-- CMD', '%0aCMD', '%24(CMD)'],
  ...['() { :;}; CMD', '() { x;}; CMD;', '() { _; } >_[$($())] { CMD; }', 'BASH_FUNC_x%%=() { CMD; }', "$'\\nCMD'", '$"$(CMD)"', '$IFS$9CMD'],
  ...['{{CMD}}', '${{CMD}}', '<%= CMD %>', '#{CMD}', '%(CMD)', '@(CMD)', '+(CMD)', '$message$(CMD)', '${message}', '${!x@P}', '${x@E}', '\\x24(CMD)'],
];

// biome-ignore format: a row is a line
const OPTIONS = [
  ...['-', '--', '-n', '-e', '-E', '-ne', '-c', '-rf', '-rf /', '-rf .', '--help', '--version', '-v', '-x', '+x', '-o errexit', '-s', '-i'],
  ...['--amend', '--allow-empty', '-F/etc/passwd', '-F /etc/shadow', '--file=/etc/passwd', '--template=/etc/passwd', '-C/', '--author=x', '--exec=id'],
  ...['--upload-pack=touch x', '-oProxyCommand=touch x', '--output=canary', '--reference=/', '-m', '-mm', '--no-verify', '--signoff', '-S', '-p', '--'],
];

const GLOBS = [
  // biome-ignore format: a list is filled
  ...[
    '*', '**', '?', '.*', './*', '/*', '/etc/*', '~', '~root', '~/.ssh/id_rsa', '[a-z]*', '[!a]', '{a,b}', '{1..9}',
    '{1..999999999}', '!(x)',
  ],
  // biome-ignore format: a list is filled
  ...[
    '../../../../etc/passwd', '/dev/tcp/127.0.0.1/1', '/proc/self/environ', '%s%s%s%n', '%d', '\\n', '\\t\\0', '\\c',
    '\\033[31m', '\\u0041', 'a\\',
  ],
];

const ENVIRONMENT = [
  // biome-ignore format: a list is filled
  ...[
    'PATH=/tmp', 'LD_PRELOAD=/tmp/x.so', 'BASH_ENV=/tmp/x', 'ENV=/tmp/x', 'IFS=x', 'GIT_SSH_COMMAND=touch x', 'x=1',
    '=', '==', '=x', 'a=b=c',
  ],
  // biome-ignore format: a list is filled
  ...[
    '$PATH', '$HOME', '$IFS', '$0', '$$', '$!', '$?', '$@', '$*', '$#', '$-', '$_', '$1', '${PATH}', '${#PATH}',
    '${PATH:0:1}', '$(', '`', '$((', '${',
  ],
];

const UNICODE = [
  // biome-ignore format: a list is filled
  ...[
    '', ' ', '  two  spaces  ', '\t', '\n', '\n\n\n', '\r', 'a\rb', '\u0001', '\u001b[2J', '\u007f', '\u0085', '\u00a0',
    '\u2028', '\u2029', '\ufeff',
  ],
  // biome-ignore format: a list is filled
  ...[
    '\u202ecilam', '\u200b', 'ünïcödé', '日本語', '🐙', '👨‍👩‍👧', 'e\u0301', '＄（ｉｄ）', '；ｉｄ', '\u{10ffff}', '\ufffd', '"',
    "'", '\\', '\\\\', '""', "''",
  ],
];

const MIXED = (touch: string): string[] => [
  'x'.repeat(100 * 1024),
  `${'x'.repeat(4096)}; ${touch}`,
  `${'$('.repeat(500)}${touch}${')'.repeat(500)}`,
  `${'`'.repeat(999)}${touch}`,
  `${"'".repeat(1001)}; ${touch} #`,
  `${'\\'.repeat(1001)}$(${touch})`,
  `${'\n'.repeat(1000)}${touch}`,
  Array.from({ length: 127 }, (_, index) => String.fromCharCode(index + 1)).join(''),
];
