/** Operator methods that change usernames and e-mail addresses of accounts. */
import * as z from 'zod'
import { emailsOf, withEmails } from '../../../store/accounts/emails.js'
import { Failure } from '../../../store/model/failure.js'
import {
  entryOf,
  isVerified,
  primaryOf,
  assertEmailCount,
  withAddress,
  withoutAddress,
  withPrimary,
  withProof,
  type EmailEntry,
} from '../../../store/model/emails.js'
import { Address, assertEmailList } from '../../api/account/emailOperations.js'
import { editableField } from '../../api/account/fields.js'
import { NewUsername, renamed } from '../../api/account/rename.js'
import { AccountView, accountView } from '../../api/account/view.js'
import { presentUser, replaceUser } from '../../api/shared/updateUser.js'
import { assertFieldValue, writeField } from '../../api/shared/accountFields.js'
import type { Node } from '../../index.js'
import { operatorMethod } from '../operatorMethod.js'
import { loadedOf, OfAccount } from './loaded.js'

const Account = z.object({ account: AccountView.describe('The changed account.') })

const changed = {
  add: z.array(Address).optional().describe('Addresses to add.'),
  primary: Address.optional().describe('Address to make the primary one; added if it is new.'),
  remove: z.array(z.string()).optional().describe('Addresses to remove.'),
}

const renameUser = operatorMethod({
  id: 'users.rename',
  summary: "Renames an account. Does not count against the owner's limit of renames.",
  input: z.strictObject({ ...OfAccount, newUsername: NewUsername.describe('New user name: a-z, 0-9 and hyphens.') }),
  output: () => Account,
  fails: ['unknown-user', 'invalid-operation', 'item-already-exists'],
  async run({ node }, { username, newUsername }) {
    const { account } = await loadedOf(node, { username })
    const name = newUsername.toLowerCase()
    await account.exclusively(async (write) => {
      const before = presentUser(account)
      if (name === before.username) throw new Failure('invalid-operation', `The username is already ${name}.`)
      await replaceUser(node, write, before, renamed(node, before, name), () => undefined)
    })
    return { account: await accountView(account) }
  },
})

const setEmails = operatorMethod({
  id: 'users.setEmail',
  summary: 'Sets e-mail addresses without verification: additions first, then the primary one, then removals.',
  input: z.strictObject({ ...OfAccount, ...changed }),
  output: () => Account,
  fails: ['unknown-user', 'invalid-operation', 'item-already-exists'],
  async run({ node }, { username, ...input }) {
    const { account } = await loadedOf(node, { username })
    assertEmailList(node)
    await account.exclusively(async (write) => {
      const before = presentUser(account)
      const former = emailsOf(node.store.db, account.prefix, before)
      const list = operated(node, former, input)
      const primary = primaryOf(list)?.value
      await replaceUser(node, write, before, withEmails(before, list), (t) => {
        if (primary === undefined || primary === primaryOf(former)?.value) return
        writeField(node, account, t, editableField(node, 'email'), primary, 'system')
      })
    })
    return { account: await accountView(account) }
  },
})

export const accountMethods = [renameUser, setEmails] as const

interface EmailChanges {
  primary?: string | undefined
  add?: readonly string[] | undefined
  remove?: readonly string[] | undefined
}

function operated(node: Node, former: readonly EmailEntry[], { primary, add = [], remove = [] }: EmailChanges): EmailEntry[] {
  const now = node.clock.now()
  const max = node.config.get('account.maxEmails')
  const proved = (list: readonly EmailEntry[], address: string): EmailEntry[] => {
    assertFieldValue(editableField(node, 'email'), address)
    const entry = entryOf(list, address)
    if (entry !== undefined && isVerified(entry)) return [...list]
    return withProof(entry === undefined ? withAddress(list, address, Infinity) : list, address, 'operator', now)
  }
  let list = [...former]
  for (const address of add) list = proved(list, address)
  if (primary !== undefined) {
    list = proved(list, primary)
    if (entryOf(list, primary)?.primary !== true) list = withPrimary(list, primary)
  }
  for (const address of remove) list = withoutAddress(list, address)
  if (list.length > former.length) assertEmailCount(list.length, max)
  return list
}
