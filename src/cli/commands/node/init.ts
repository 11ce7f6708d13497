import type { Config } from '../../../server/config/config.js'
import { Secret } from '../../../store/model/secret.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { readSecret } from '../../terminal/input/secret.js'
import { keyStorageBy, keyStorageOptions, type KeyStorageOptions } from '../../client/keyStorageOptions.js'
import { keychainProblem } from '../../terminal/output/keychainProblem.js'
import { textOf } from '../../client/answer.js'
import { assertHomeAccessible } from '../../client/homeChecks.js'
import { flag, inputFile, text, whole } from '../../framework/option.js'
import { commandFor, pathsOf } from '../../framework/paths.js'
import type { Paths } from '../../framework/paths.js'
import type { Question } from '../../screens/init/questions.js'
import type { NewNodeOptions } from './newNode.js'

interface InitInput extends NewNodeOptions {
  passwordStdin: boolean
  passwordFile: string | undefined
}

/** Paths and options of the node to create. */
interface InitPlan {
  paths: Paths
  given: NewNodeOptions
  password: string | undefined
  /** Storage of the node key, if the wizard asked for a passphrase. */
  keyStorage?: KeyStorageOptions
  /** True when a person answered prompts. */
  wasAsked: boolean
}

/** `coffer init`. */
export const init = command({
  path: ['init'],
  summary: 'Create a node: store, key and configuration',
  description:
    'Creates everything a node needs in its home; fails if there is a node already. On a terminal it prompts for ' +
    'missing options, and writes nothing before the last step. With --no-input it uses the defaults instead. ' +
    'coffer start does the same for an empty home, without prompting.\n\n' +
    'The home is --home, COFFER_HOME, or the data folder of the platform.',
  options: {
    host: text('Address to listen on', { placeholder: 'address' }),
    port: whole('Port to listen on', { to: 65535 }),
    publicUrl: text('URL by which apps reach the node, such as that of a reverse proxy', { placeholder: 'url' }),
    domain: text('Domain whose subdomains are the usernames; without it, accounts are addressed by path', {
      placeholder: 'domain',
    }),
    name: text('Name of this node for paired nodes; defaults to the host name', { placeholder: 'name' }),
    ...keyStorageOptions('file'),
    user: text('Username of a first account', { placeholder: 'username' }),
    email: text('E-mail address of the first account', { placeholder: 'address' }),
    passwordStdin: flag('Read the password of the first account from stdin', { stdin: 'always' }),
    passwordFile: inputFile('Read the password of the first account from a file'),
  },
  examples: [
    { type: 'coffer init', description: 'prompt for what it needs' },
    { type: 'coffer init --home /srv/coffer --port 8080 --no-input', description: 'use the defaults without prompting' },
    {
      type: 'coffer init --public-url https://ana.example.org --user ana-lovelace --email ana@example.org --password-file pw.txt --no-input',
      description: 'behind a proxy, with an account',
    },
    { type: 'coffer init --keep-key passphrase', description: 'protect the key by a passphrase' },
  ],
  json: '{"event":"initialised","home","config","store"}; with --user also "user" and "apiEndpoint", as in coffer users create',
  reach: 'machine',
  offline: true,
  async run(context, options) {
    const { env } = context
    assertHomeAccessible(context.paths.home)
    const [{ accountOf, settingsOf }, { AlreadyInitialised, hasStore, initialise }, { storeProblem }, { loadConfig }] = await Promise.all([
      import('./newNode.js'),
      import('../../../server/launch/init.js'),
      import('../../client/storeProblem.js'),
      import('../../../server/config/config.js'),
    ])
    if (hasStore(context.paths)) {
      const { home } = context.paths
      throw storeProblem(new AlreadyInitialised(`A node already exists in ${home}.`), home)
    }
    const plan = await planFrom(context, options)
    const { paths, given, password } = plan
    const settings = settingsOf(given)
    // Errors are reported before anything is created.
    const config = loadConfig({ file: paths.config, env, flags: settings })
    const account = accountOf(given, password)
    const first = account === undefined ? {} : { first: { account, config } }
    const keyStorage = plan.keyStorage ?? (await keyStorageBy(context, given))
    const created = await initialise(paths, { settings, keyStorage, ...first }).catch((error: unknown) => {
      throw storeProblem(keychainProblem(error, 'Or store the key in a file: --keep-key file'), paths.home)
    })
    await report(context, plan, created)
  },
})

/** Completes the options with prompts, if there is a terminal. */
async function planFrom(context: Context, { passwordStdin, passwordFile, ...given }: InitInput): Promise<InitPlan> {
  const { terminal, paths, flags, env, out } = context
  const hasPassword = passwordStdin || passwordFile !== undefined
  const source = { prompt: `Password for ${given.user ?? 'the account'}`, missing: '--password-stdin or --password-file' }
  const read = (): Promise<string> => readSecret(terminal, { ...source, stdin: passwordStdin, file: passwordFile, twice: true })
  const password = hasPassword ? await read() : undefined
  if (terminal.mayShowScreens && !out.json && !out.quiet) {
    const hasHome = flags.home !== undefined
    const { initQuestions } = await import('../../screens/init/questions.js')
    const { openQuestions } = await import('../../screens/init/state.js')
    const { initRules } = await import('./initRules.js')
    const { answeredBy } = await import('./newNode.js')
    const questions = openQuestions(initQuestions(initRules(env)), answeredBy(given, { home: hasHome, password: hasPassword }))
    if (questions.length > 1) return ask(context, questions, given, password)
  }
  const missing = given.user !== undefined && given.user !== '' && !hasPassword
  return { paths, given, password: missing ? await read() : password, wasAsked: false }
}

async function ask(
  { terminal, paths, flags, env }: Context,
  questions: readonly Question[],
  given: NewNodeOptions,
  password: string | undefined,
): Promise<InitPlan> {
  const [{ firstAnswers, optionsFrom }, { askInit }, { checkKeychain, planLines }, { typedFolder }, { loadConfig }] = await Promise.all([
    import('./newNode.js'),
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
    checkKeychain,
  })
  if (answers === undefined) throw new CommandError('Cancelled; nothing was created.', { exit: 130 })
  const config = flags.config === undefined ? {} : { config: flags.config }
  const chosen = pathsOf({ home: typedFolder(answers.home, env), env, ...config })
  const typed = answers.password === '' ? password : answers.password
  const keyStorage: Partial<InitPlan> = answers.passphrase === '' ? {} : { keyStorage: { by: 'passphrase', passphrase: new Secret(answers.passphrase) } }
  return { paths: chosen, given: optionsFrom(answers, given, configOf(chosen)), password: typed, ...keyStorage, wasAsked: true }
}

async function report({ out, env }: Context, plan: InitPlan, created: Record<string, unknown>): Promise<void> {
  const { paths, given, wasAsked } = plan
  const { home, config, store } = paths
  await out.result(
    { event: 'initialised', home, config, store, ...created },
    {
      id: home,
      print: async () => {
        out.done('Node created')
        await out.line(`  Home      ${home}`)
        await out.line(`  Settings  ${config}`)
        await out.line(`  Store     ${store}`)
        if (given.user !== undefined && created['apiEndpoint'] !== undefined) {
          out.done(`Account ${given.user} created. The line below contains its token and is shown only once:`)
          await out.line(textOf(created['apiEndpoint']))
        }
        out.note(`Next: ${commandFor(paths, env, 'start')}`)
        if (!wasAsked) return
        const { repeatCommand } = await import('./newNode.js')
        out.note(`Repeat without prompts: ${repeatCommand(commandFor(paths, env, 'init'), given)}`)
      },
    },
  )
}
