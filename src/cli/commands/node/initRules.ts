/** What the wizard of `coffer init` holds answers against: the rules of the node and the state of the machine. */
import { loadConfig } from '../../../server/config/config.js'
import type { Config } from '../../../server/config/config.js'
import { ConfigError } from '../../../server/config/problem.js'
import { readValue } from '../../../server/config/readValue.js'
import { checkFirstAccount } from '../../../server/launch/firstAccount.js'
import { isUsername } from '../../../server/register/input.js'
import { isReservedUsername } from '../../../server/register/reserved.js'
import { isEmail } from '../../../store/model/accountFieldValue.js'
import { Failure } from '../../../store/model/failure.js'
import { recordOf } from '../../client/answer.js'
import { freeBytes, placeProblem, typedFolder } from '../../client/homeChecks.js'
import { bytes } from '../../terminal/output/format.js'
import { pathsOf } from '../../framework/paths.js'
import type { Environment } from '../../framework/paths.js'
import type { Answers, Keychain, Rules } from '../../screens/init/questions.js'

/** The rules of a node whose settings come from `env` and from what the chosen folder holds already. */
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
      return placeProblem(folder)
    },
    setting(key, value) {
      const reading = readValue(key, value)
      return 'wrong' in reading ? `This must be ${reading.wrong.replace(`${key} must be `, '')}.` : undefined
    },
    username(name) {
      if (!isUsername(name)) return 'A username has 5 to 60 small letters, digits and dashes.'
      return isReservedUsername(config, name) ? 'This username is reserved.' : undefined
    },
    email(address) {
      if (address === '' && !needsEmail(config)) return undefined
      return isEmail(address) ? undefined : 'This is not an e-mail address.'
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

/** Whether a refused registration names a fault. */
function isOf({ data }: Failure, code: string): boolean {
  return Array.isArray(data) && data.some((item: unknown) => recordOf(item)['code'] === code)
}

function needsEmail(config: Config): boolean {
  return config.get('custom.systemStreams.account').some(({ id, isRequiredInValidation }) => id === 'email' && isRequiredInValidation)
}

/** What the last step shows. */
export function planLines({ home, keeper, username }: Answers, env: Environment): string[] {
  const folder = typedFolder(home, env)
  return [
    `In ${folder}, where ${bytes(freeBytes(folder))} are free:`,
    '  config.toml  the settings',
    `  node.key     ${keyWords[keeper] ?? ''}`,
    `  store/       the database, ${username === '' ? 'empty' : `with the account ${username}`}`,
    '  files/       for attached files',
  ]
}

const keyWords: Readonly<Record<string, string>> = {
  keychain: 'says which entry of the keychain is the key',
  passphrase: 'the key, sealed by the passphrase',
  file: 'the key that seals what is secret; keep a copy of it',
}

/** Whether the keychain of the system answers, and if not, why. */
export async function lookForKeychain(): Promise<Keychain> {
  const [{ systemKeychain }, { KeychainUnusable }] = await Promise.all([import('../../../store/keyring/keychain.js'), import('../../../store/keyring/nodeKeyUnusable.js')])
  try {
    await systemKeychain.read('is-it-there')
    return { is: 'there' }
  } catch (error) {
    if (!(error instanceof KeychainUnusable)) throw error
    // The screen says first that there is none.
    return { is: 'absent', why: `${error.why.charAt(0).toUpperCase()}${error.why.slice(1)}.` }
  }
}
