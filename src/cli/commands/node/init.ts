import type { Config } from '../../../server/config/config.js'
import { Secret } from '../../../store/model/secret.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { readSecret } from '../../terminal/input/secret.js'
import { keyStorageBy, keyStorageOptions, type Keeping } from '../../client/keyStorageOptions.js'
import { keychainProblem } from '../../terminal/output/keychainProblem.js'
import { textOf } from '../../client/answer.js'
import { assertHomeOpen } from '../../client/homeChecks.js'
import { flag, text, whole } from '../../framework/option.js'
import { commandFor, pathsOf } from '../../framework/paths.js'
import type { Paths } from '../../framework/paths.js'
import type { Question } from '../../screens/init/questions.js'
import { accountOf, answeredBy, firstAnswers, givenBy, sameAgain, settingsOf } from './newNode.js'
import type { NewNodeOptions } from './newNode.js'

interface Asked extends NewNodeOptions {
  passwordStdin: boolean
  passwordFile: string | undefined
}

/** What is going to be made, and where. */
interface Wanted {
  paths: Paths
  given: NewNodeOptions
  password: string | undefined
  /** How the node key is kept, where a person chose it. */
  keeping?: Keeping
  /** Whether a person answered questions for it. */
  wasAsked: boolean
}

/** `coffer init`. */
export const init = command({
  path: ['init'],
  summary: 'Make a node: a store, a key, a configuration',
  description:
    'Makes everything a node needs in its home, and refuses when there is a node already. On a terminal it asks for ' +
    'what the options do not say, and writes nothing before the last step; --no-input takes the defaults instead. ' +
    'coffer start does the same for an empty home, without a question.\n\n' +
    'The home is --home, COFFER_HOME, or the data folder of the platform.',
  options: {
    host: text('Address to listen on', { placeholder: 'address' }),
    port: whole('Port to listen on', { to: 65535 }),
    publicUrl: text('Address by which apps reach the node, such as that of a proxy', { placeholder: 'url' }),
    domain: text('Domain whose host names carry the usernames; without it, accounts are addressed by path', {
      placeholder: 'domain',
    }),
    name: text('What other nodes call this one, once they are paired; the name of the machine without it', { placeholder: 'name' }),
    ...keyStorageOptions('file'),
    user: text('Username of a first account', { placeholder: 'username' }),
    email: text('E-mail address of the first account', { placeholder: 'address' }),
    passwordStdin: flag('Read the password of the first account from stdin'),
    passwordFile: text('Read the password of the first account from a file', { placeholder: 'file', completes: 'file' }),
  },
  examples: [
    { type: 'coffer init', says: 'asks what it must know' },
    { type: 'coffer init --home /srv/coffer --port 8080 --no-input', says: 'without a question' },
    {
      type: 'coffer init --public-url https://ana.example.org --user ana-lovelace --email ana@example.org --password-file pw.txt --no-input',
      says: 'behind a proxy, with an account',
    },
    { type: 'coffer init --keep-key passphrase', says: 'a key that a passphrase opens at every start' },
  ],
  json: '{"event":"initialised","home","config","store"}; with --user also "user" and "apiEndpoint", as in coffer users create',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { env } = context
    assertHomeOpen(context.paths.home)
    const [{ AlreadyInitialised, hasStore, initialise }, { storeProblem }, { loadConfig }] = await Promise.all([
      import('../../../server/launch/init.js'),
      import('../../client/storeProblem.js'),
      import('../../../server/config/config.js'),
    ])
    if (hasStore(context.paths)) {
      const { home } = context.paths
      throw storeProblem(new AlreadyInitialised(`There is already a node in ${home}.`), home)
    }
    const wanted = await wantedBy(context, options)
    const { paths, given, password } = wanted
    const settings = settingsOf(given)
    // A mistake is told before anything is made.
    const config = loadConfig({ file: paths.config, env, flags: settings })
    const account = accountOf(given, password)
    const first = account === undefined ? {} : { first: { account, config } }
    const keyStorage = wanted.keeping ?? (await keyStorageBy(context, given))
    const made = await initialise(paths, { settings, keeping: keyStorage, ...first }).catch((error: unknown) => {
      throw storeProblem(keychainProblem(error, 'Or keep the key in a file: --keep-key file'), paths.home)
    })
    await report(context, wanted, made)
  },
})

/** Completes the options by questions where someone can be asked. */
async function wantedBy(context: Context, { passwordStdin, passwordFile, ...given }: Asked): Promise<Wanted> {
  const { terminal, paths, flags, env, out } = context
  const isGiven = passwordStdin || passwordFile !== undefined
  const source = { prompt: `Password for ${given.user ?? 'the account'}`, missing: '--password-stdin or --password-file' }
  const read = (): Promise<string> => readSecret(terminal, { ...source, stdin: passwordStdin, file: passwordFile, twice: true })
  const password = isGiven ? await read() : undefined
  if (terminal.mayShowScreens && !out.json && !out.quiet) {
    const isPlaced = flags.home !== undefined
    const { initQuestions } = await import('../../screens/init/questions.js')
    const { openQuestions } = await import('../../screens/init/state.js')
    const { initRules } = await import('./initRules.js')
    const questions = openQuestions(initQuestions(initRules(env)), answeredBy(given, { home: isPlaced, password: isGiven }))
    if (questions.length > 1) return ask(context, questions, given, password)
  }
  const missing = given.user !== undefined && given.user !== '' && !isGiven
  return { paths, given, password: missing ? await read() : password, wasAsked: false }
}

async function ask(
  { terminal, paths, flags, env }: Context,
  questions: readonly Question[],
  given: NewNodeOptions,
  password: string | undefined,
): Promise<Wanted> {
  const [{ askInit }, { lookForKeychain, planLines }, { typedFolder }, { loadConfig }] = await Promise.all([
    import('../../screens/init/askInit.js'),
    import('./initRules.js'),
    import('../../client/homeChecks.js'),
    import('../../../server/config/config.js'),
  ])
  const configOf = ({ config }: Paths): Config => loadConfig({ file: config, env })
  const answers = await askInit(terminal, {
    questions,
    answers: firstAnswers(given, paths.home, configOf(paths)),
    plan: (answered) => planLines(answered, env),
    lookForKeychain,
  })
  if (answers === undefined) throw new CommandError('Cancelled; nothing was made.', { exit: 130 })
  const config = flags.config === undefined ? {} : { config: flags.config }
  const chosen = pathsOf({ home: typedFolder(answers.home, env), env, ...config })
  const typed = answers.password === '' ? password : answers.password
  const keyStorage: Partial<Wanted> = answers.passphrase === '' ? {} : { keeping: { by: 'passphrase', passphrase: new Secret(answers.passphrase) } }
  return { paths: chosen, given: givenBy(answers, given, configOf(chosen)), password: typed, ...keyStorage, wasAsked: true }
}

async function report({ out, env }: Context, wanted: Wanted, made: Record<string, unknown>): Promise<void> {
  const { paths, given, wasAsked } = wanted
  const { home, config, store } = paths
  await out.result(
    { event: 'initialised', home, config, store, ...made },
    {
      id: home,
      print: async () => {
        out.done('Node made')
        await out.line(`  Home      ${home}`)
        await out.line(`  Settings  ${config}`)
        await out.line(`  Store     ${store}`)
        if (given.user !== undefined && made['apiEndpoint'] !== undefined) {
          out.done(`Account ${given.user} made. The line below is its key, shown once:`)
          await out.line(textOf(made['apiEndpoint']))
        }
        out.note(`Next: ${commandFor(paths, env, 'start')}`)
        if (wasAsked) out.note(`Same again without questions: ${sameAgain(commandFor(paths, env, 'init'), given)}`)
      },
    },
  )
}
