/** Validation of the answers in the wizard of `coffer init`: the rules of the node and the state of the machine. */
import { loadConfig, type Config } from '../../../server/config/config.js'
import { ConfigError } from '../../../server/config/problem.js'
import { readValue } from '../../../server/config/readValue.js'
import { checkFirstAccount } from '../../../server/launch/firstAccount.js'
import { isUsername } from '../../../server/api/register/input.js'
import { isReservedUsername } from '../../../server/api/register/reserved.js'
import { isEmail } from '../../../store/model/accountFieldValue.js'
import { Failure } from '../../../store/model/failure.js'
import { recordOf } from '../../client/answer.js'
import { freeBytes, folderProblem, typedFolder } from '../../client/homeChecks.js'
import { bytes } from '../../terminal/output/format.js'
import { pathsOf, type Environment } from '../../framework/paths.js'
import type { Answers, Keychain, Rules } from '../../screens/init/questions.js'

/** Creates the rules for a node whose settings come from `env` and the existing files of the chosen folder. */
export function initRules(env: Environment): Rules {
  let config: Config = loadConfig({ env })
  return {
    home(typed) {
      const folder = typedFolder(typed, env)
      try {
        config = loadConfig({ file: pathsOf({ home: folder, env }).config, env })
      } catch (error) {
        if (error instanceof ConfigError) return error.message
        throw error
      }
      return folderProblem(folder)
    },
    setting(key, value) {
      const reading = readValue(key, value)
      return 'wrong' in reading ? `This must be ${reading.wrong.replace(`${key} must be `, '')}.` : undefined
    },
    username(name) {
      if (!isUsername(name)) return 'A username has 5 to 60 lowercase letters, digits and dashes.'
      return isReservedUsername(config, name) ? 'This username is reserved.' : undefined
    },
    email(address) {
      if (address === '' && !needsEmail(config)) return undefined
      return isEmail(address) ? undefined : 'This is not a valid e-mail address.'
    },
    account({ email, ...account }) {
      try {
        checkFirstAccount(config, { ...account, ...(email === '' ? {} : { email }) })
        return undefined
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        return isOf(error, 'password-invalid') ? 'A password has 6 to 100 characters.' : error.message
      }
    },
  }
}

/** Checks whether a rejected registration contains an error code. */
function isOf({ data }: Failure, code: string): boolean {
  return Array.isArray(data) && data.some((item: unknown) => recordOf(item)['code'] === code)
}

function needsEmail(config: Config): boolean {
  return config.get('custom.systemStreams.account').some(({ id, isRequiredInValidation }) => id === 'email' && isRequiredInValidation)
}

/** Returns the summary shown in the last step. */
export function planLines({ home, keyStorage, username }: Answers, env: Environment): string[] {
  const folder = typedFolder(home, env)
  return [
    `In ${folder} (${bytes(freeBytes(folder))} free):`,
    '  config.toml  the settings',
    `  node.key     ${keyWords[keyStorage] ?? ''}`,
    `  store/       the database, ${username === '' ? 'empty' : `with the account ${username}`}`,
    '  files/       for attached files',
  ]
}

const keyWords: Readonly<Record<string, string>> = {
  keychain: 'names the keychain entry that holds the key',
  passphrase: 'the node key, encrypted with the passphrase',
  file: 'the key that encrypts secrets; keep a copy of it',
}

/** Checks whether the keychain of the system is available; returns the reason if not. */
export async function checkKeychain(): Promise<Keychain> {
  const [{ systemKeychain }, { KeychainUnusable }] = await Promise.all([import('../../../store/keyring/keychain.js'), import('../../../store/keyring/nodeKeyUnusable.js')])
  try {
    await systemKeychain.read('is-it-there')
    return { is: 'available' }
  } catch (error) {
    if (!(error instanceof KeychainUnusable)) throw error
    // The screen shows it as a sentence of its own.
    return { is: 'unavailable', why: `${error.why.charAt(0).toUpperCase()}${error.why.slice(1)}.` }
  }
}
