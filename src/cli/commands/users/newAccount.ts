/** Prompts for the parameters of a new account that are missing, and checks all of them before a password is asked for. */
import { Failure } from '../../../store/model/failure.js'
import { recordOf } from '../../client/answer.js'
import type { NodeClient, ResultOf } from '../../client/nodeClient.js'
import { askAgain } from '../../terminal/input/askAgain.js'
import { askLine } from '../../terminal/input/confirm.js'
import type { Terminal } from '../../terminal/terminal.js'

const USERNAME_RULE = 'A username has 5 to 60 lowercase letters, digits and dashes, and neither starts nor ends with a dash.'
const EMAIL_RULE = 'The node requires an e-mail address, for mails such as password resets.'

type NewAccount = Readonly<Record<string, string>>

/**
 * Returns the account with a username, and an address if the node requires one.
 * @throws Failure for a given parameter that is refused, or a prompted one that is refused three times
 */
export async function promptForAccount(terminal: Terminal, client: NodeClient, given: NewAccount): Promise<NewAccount> {
  const ask = async (name: 'username' | 'email', rule: string, question: string, account: NewAccount): Promise<NewAccount> => {
    terminal.writeStderr(`${rule}\n`)
    return askAgain(terminal, async () => {
      const answered = { ...account, [name]: (await askLine(terminal, question)).trim() }
      await client.call('users.check', { account: answered, complete: false }, {})
      return answered
    })
  }
  const named = given['username'] === undefined ? await ask('username', USERNAME_RULE, 'Username: ', given) : given
  try {
    await client.call('users.check', { account: named }, {})
    return named
  } catch (error) {
    if (named['email'] !== undefined || !isOnlyEmailMissing(error)) throw error
    return ask('email', EMAIL_RULE, 'E-mail address: ', named)
  }
}

function isOnlyEmailMissing(error: unknown): boolean {
  if (!(error instanceof Failure) || !Array.isArray(error.data)) return false
  const codes = error.data.map((item: unknown) => recordOf(item)['code'])
  return codes.length === 1 && codes[0] === 'email-required'
}

/** Returns the rules of passwords as a sentence: `A password has 6 to 100 characters.` */
export function passwordRequirement({ minLength, maxLength, categories }: ResultOf<'users.check'>['password']): string {
  const kinds = categories < 2 ? '' : `, of at least ${categories} of these: lower case, upper case, digits, others`
  return `A password has ${minLength} to ${maxLength} characters${kinds}.`
}
