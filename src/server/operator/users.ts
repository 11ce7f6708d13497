/** What the operator can do with accounts, beside the methods of the interface. */
import { listAccesses } from '../../store/accesses.js'
import { emailsOf } from '../../store/emails.js'
import { findEvent } from '../../store/events.js'
import { readEnrolment } from '../../store/mfa.js'
import { primaryOf, shownEntry } from '../../store/model/emails.js'
import { listUsernames } from '../../store/users.js'
import { apiEndpoint } from '../apiEndpoint.js'
import type { NodeMethod } from '../control.js'
import type { Result } from '../method.js'
import type { LoadedAccount, Node } from '../node.js'
import { register } from '../register/createUser.js'
import { erase } from '../register/deleteUser.js'
import { readRegistration } from '../register/input.js'
import { storageUsedOf } from '../storageUsed.js'
import { loadedOf } from './loaded.js'

/** The app id of sessions that the command line opens. */
const CLI_APP = 'coffer-cli'

/** A user as the command line lists it. */
async function describe(node: Node, { account, user }: LoadedAccount): Promise<Result> {
  const accesses = await listAccesses(account, node.store.seal)
  const used = accesses.map(({ access }) => node.usage.read(account, access.id).lastUsed ?? 0)
  const emails = emailsOf(node.store.db, account.prefix, user)
  const language = findEvent(node.store.db, account.prefix, ':_system:language')?.content
  const lastUsed = Math.max(0, ...used)
  return {
    username: user.username,
    id: user.id,
    formerUsernames: user.formerUsernames ?? [],
    email: primaryOf(emails)?.value ?? null,
    emails: emails.map(shownEntry),
    language: language ?? null,
    mfa: readEnrolment(node.store.db, account.prefix)?.method ?? null,
    created: user.created,
    lastUsed: lastUsed === 0 ? null : lastUsed,
    accesses: accesses.length,
    streams: account.tree.size,
    storageUsed: await storageUsedOf(account),
    relocated: user.relocated ?? null,
    apiEndpoint: apiEndpoint(node, user.username),
  }
}

export const userMethods: Readonly<Record<string, NodeMethod>> = {
  async 'users.list'(node) {
    const users = []
    for (const { username } of await listUsernames(node.store.db)) {
      users.push(await describe(node, await loadedOf(node, { username })))
    }
    return { users }
  },
  async 'users.show'(node, params) {
    return { user: await describe(node, await loadedOf(node, params)) }
  },
  async 'users.create'(node, params) {
    const asked = readRegistration({ appId: CLI_APP, ...params }, node.systemStreams)
    const { user, token, welcomed } = await register(node, asked, 'operator')
    // On a store that is opened for this alone, nothing else would wait for the mail.
    await welcomed
    const loaded = await loadedOf(node, { username: user.username })
    return {
      user: await describe(node, loaded),
      apiEndpoint: apiEndpoint(node, user.username, token.reveal()),
    }
  },
  async 'users.delete'(node, params) {
    const loaded = await loadedOf(node, params)
    await erase(node, loaded)
    return { userDeletion: { username: loaded.user.username } }
  },
}
