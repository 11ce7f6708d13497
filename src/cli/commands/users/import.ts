import { resolve } from 'node:path'
import { passphraseOptions } from '../../backup/passphrase.js'
import { command } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { flag, text } from '../../framework/option.js'

/** `coffer users import`. */
export const importUser = command({
  path: ['users', 'import'],
  summary: 'Make an account of an exported folder, or of one on another server',
  description:
    'Makes an account with everything that is in the folder: ids, times, authors, the trash, history, deletions and integrity stay as they were, and apps go on with their tokens. Everything is checked first as if a stranger had written it; what cannot be taken is named with its line, and the rest is taken (exit 3). The account is there once all of it is: an import that ends early leaves nothing. Under another name (--as) its webhooks are inactive until coffer webhooks activate, since the account that it was made of may still use them; under the same name they stay active.\n\n' +
    'With --from the account is read from another server of this interface, by the endpoint of a personal or app token: streams, events, deletions, attached files, points of series, and the profile sets that the token may read. What was read is kept in the folder "moving" of the node until the account is made, so the same command goes on where it was interrupted. Accesses, history and webhooks are not readable that way. An endpoint holds a token: other users of this machine may see it in the list of processes, so give it on stdin (--from -) or in a file (--from-file).\n\nFor a node of another machine (--node) this command reads the folder, or the other server, and sends what it read; a passphrase is used here and not sent. What was read of a server is then kept in ~/.local/state/coffer/moving. Attached files may be as large as that node takes them (its setting uploads.maxSizeMb), and its disk must have room for them twice until the account is made.',
  arguments: { folder: text('Folder of an export') },
  options: {
    as: text('User name in place of the one in the folder', { placeholder: 'username' }),
    email: text('E-mail address in place of the one in the folder', { placeholder: 'address' }),
    from: text('API endpoint with a token, of an account on another server; - reads it from stdin', { placeholder: 'endpoint' }),
    fromFile: text('Read the endpoint from a file', { placeholder: 'file', completes: 'file' }),
    passwordStdin: flag('Read the password of the account from stdin'),
    passwordFile: text('Read the password of the account from a file', { placeholder: 'file', completes: 'file' }),
    ...passphraseOptions,
    dryRun: flag('Check everything and write nothing', { short: 'n' }),
  },
  examples: [
    { type: 'coffer users import ~/ana --dry-run', says: 'says what would be made' },
    { type: 'coffer users import ~/ana --as ana-elsewhere --email ana@example.com', says: 'makes it under another name' },
    { type: 'coffer users import --from-file ~/endpoint --as ana-lovelace', says: 'moves in from another server' },
  ],
  jsonLines: true,
  json: 'lines {"event":"refused","file","line","id","message"}; the last is {"event":"done","username","asked":{…},"restored":{…},"refused":0,"differences":0,"activeWebhooks":[…],"pausedWebhooks":[…]}, ids; paused are those that the import made inactive',
  offline: true,
  async run(context, options) {
    const { place } = context
    const isRemote = options.from !== undefined || options.fromFile !== undefined
    if (isRemote === (options.folder !== undefined)) throw usageError('Name either a folder, or a server with --from or --from-file')
    if (!isRemote && (options.passwordStdin || options.passwordFile !== undefined)) {
      throw usageError('--password-stdin and --password-file belong to --from: a folder holds the password of its account')
    }
    if (options.passwordStdin && (options.passphraseStdin || options.from === '-')) throw usageError('stdin can be read for one secret only')
    const [{ passphraseFor, runImport, writeImportResult: writeImport }, { archiveProblem }] = await Promise.all([
      import('../../transfer/importAccount.js'),
      import('../../backup/problems.js'),
    ])
    const { as, email, dryRun } = options
    const { withOtherNames } = await import('../../transfer/otherNames.js')
    const refused = (error: unknown): never => {
      throw withOtherNames(context, options, error)
    }
    if (isRemote) {
      const { importFrom } = await import('../../transfer/migrateAccount.js')
      return importFrom(context, options).catch(refused)
    }
    const folder = resolve(options.folder ?? '')
    const passphrase = await passphraseFor(context, folder, options).catch((error: unknown) => {
      const problem = archiveProblem(error, place)
      if (!(problem instanceof CommandError) || problem.exit !== 5) throw problem
      throw new CommandError(problem.message, { exit: 5, cause: error, hint: ['Write one', 'users', 'export', '<username>', '--to', '<folder>'] })
    })
    const client = await context.connect('unlimited')
    const answer = await runImport(context, client, { folder, as, email, dryRun }, passphrase).catch((error: unknown) => refused(archiveProblem(error, place)))
    return writeImport(context, answer, { dryRun })
  },
})
