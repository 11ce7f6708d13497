import { resolve } from 'node:path'
import { passphraseOptions } from '../backup/shared/passphrase.js'
import { command } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { flag, inputFile, text } from '../../framework/option.js'

/** `coffer users import`. */
export const importUser = command({
  path: ['users', 'import'],
  summary: 'Import an account from a folder or from another server',
  description:
    'Creates an account with everything in the folder: ids, times, authors, the trash, history, deletions and integrity stay the same, and apps can keep using their tokens. All data is validated as untrusted input; invalid lines are reported, and the rest is imported (exit 3). The account appears only when the import is complete: an interrupted import leaves nothing. Under a different name (--as), its webhooks are inactive until coffer webhooks activate, because the original account may still use them; under the same name they stay active.\n\n' +
    'With --from, the account is read from another server with the same API, through the endpoint of a personal or app token: streams, events, deletions, attached files, points of series, and the profile sets that the token can read. Downloaded data is stored in the folder "moving" of the node until the account is created, so the same command resumes an interrupted import. Accesses, history and webhooks cannot be read this way. An endpoint contains a token that other users of this machine may see in the process list, so pass it on stdin (--from -) or in a file (--from-file).\n\nFor a remote node (--node) this command reads the folder or the other server, and sends the data; a passphrase is used here and not sent. Data downloaded from a server is then stored in ~/.local/state/coffer/moving. Attached files are limited by the remote node (its setting uploads.maxSizeMb), and its disk needs room for them twice until the account is created.',
  arguments: { folder: text('Folder of an export') },
  options: {
    as: text('New username of the account', { placeholder: 'username' }),
    email: text('New e-mail address of the account', { placeholder: 'address' }),
    from: text('API endpoint with a token, of an account on another server, or - for stdin', { placeholder: 'endpoint', stdin: 'dash' }),
    fromFile: inputFile('Read the endpoint from a file'),
    passwordStdin: flag('Read the password of the account from stdin', { stdin: 'always' }),
    passwordFile: inputFile('Read the password of the account from a file'),
    ...passphraseOptions,
    dryRun: flag('Check everything and write nothing', { short: 'n' }),
  },
  examples: [
    { type: 'coffer users import ~/ana --dry-run', description: 'check what would be imported' },
    { type: 'coffer users import ~/ana --as ana-elsewhere --email ana@example.com', description: 'import under a different name' },
    { type: 'coffer users import --from-file ~/endpoint --as ana-lovelace', description: 'move an account from another server' },
  ],
  jsonLines: true,
  json: 'lines {"event":"refused","file","line","id","message"}; the last is {"event":"done","username","asked":{…},"restored":{…},"refused":0,"differences":0,"activeWebhooks":[…],"pausedWebhooks":[…]}, ids; paused are those that the import deactivated',
  offline: true,
  async run(context, options) {
    const { place } = context
    const isRemote = options.from !== undefined || options.fromFile !== undefined
    if (isRemote === (options.folder !== undefined)) throw usageError('Give either a folder, or a server with --from or --from-file')
    if (!isRemote && (options.passwordStdin || options.passwordFile !== undefined)) {
      throw usageError('--password-stdin and --password-file require --from: a folder contains the password of its account')
    }
    const [{ passphraseFor, runImport, writeImportResult }, { archiveProblem }] = await Promise.all([
      import('./transfer/importAccount.js'),
      import('../backup/shared/problems.js'),
    ])
    const { as, email, dryRun } = options
    const { withOtherNames } = await import('./transfer/otherNames.js')
    const throwWithHint = (error: unknown): never => {
      throw withOtherNames(context, options, error)
    }
    if (isRemote) {
      const { importFrom } = await import('./transfer/migrateAccount.js')
      return importFrom(context, options).catch(throwWithHint)
    }
    const folder = resolve(options.folder ?? '')
    const passphrase = await passphraseFor(context, folder, options).catch((error: unknown) => {
      const problem = archiveProblem(error, place)
      if (!(problem instanceof CommandError) || problem.exit !== 5) throw problem
      throw new CommandError(problem.message, { exit: 5, cause: error, hint: ['Export an account', 'users', 'export', '<username>', '--to', '<folder>'] })
    })
    const client = await context.connect('unlimited')
    const answer = await runImport(context, client, { folder, as, email, dryRun }, passphrase).catch((error: unknown) => throwWithHint(archiveProblem(error, place)))
    return writeImportResult(context, answer, { dryRun })
  },
})
