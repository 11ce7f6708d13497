/** What the operator can ask of a running or opened node beside the methods of the interface. */
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { listAccesses } from '../store/accesses.js'
import { findEvent } from '../store/events.js'
import { accountKeys, under } from '../store/keys.js'
import { Failure } from '../store/model/failure.js'
import { ATTACHED_FILES } from '../store/model/systemStreams.js'
import { listUsernames } from '../store/users.js'
import { apiEndpoint } from './apiEndpoint.js'
import type { NodeMethod } from './control.js'
import type { Result } from './method.js'
import type { LoadedAccount, Node } from './node.js'
import { changeAppSet, readAppSet } from './profile/ofApp.js'
import { register } from './register/createUser.js'
import { readRegistration } from './register/input.js'
import { erase } from './register/deleteUser.js'
import { productVersion } from './version.js'

/** The app id of sessions that the command line opens. */
const CLI_APP = 'coffer-cli'

async function loadedOf(node: Node, params: Record<string, unknown>): Promise<LoadedAccount> {
  const username = String(params['username'] ?? '')
  const loaded = await node.accounts.find(username)
  if (loaded === undefined) throw new Failure('unknown-user', `Unknown user "${username}".`)
  return loaded
}

/** A user as the command line lists it. */
async function describe(node: Node, { account, user }: LoadedAccount): Promise<Result> {
  const accesses = await listAccesses(account, node.store.seal)
  const used = accesses.map(({ access }) => node.usage.read(account, access.id).lastUsed ?? 0)
  const email = findEvent(node.store.db, account.prefix, ':system:email')?.content
  const language = findEvent(node.store.db, account.prefix, ':_system:language')?.content
  const lastUsed = Math.max(0, ...used)
  return {
    username: user.username,
    id: user.id,
    email: email ?? null,
    language: language ?? null,
    mfa: null,
    created: user.created,
    lastUsed: lastUsed === 0 ? null : lastUsed,
    accesses: accesses.length,
    streams: account.tree.size,
    storageUsed: { dbDocuments: await node.store.db.size(under(accountKeys.all(account.prefix))), attachedFiles: findEvent(node.store.db, account.prefix, ATTACHED_FILES)?.content ?? 0 },
    apiEndpoint: apiEndpoint(node, user.username),
  }
}

/** The bytes of all files in a folder. */
async function folderBytes(folder: string): Promise<number> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = found.filter((entry) => entry.isFile()).map(async ({ parentPath, name }) => {
    // The store's files come and go while it runs.
    const file = await stat(join(parentPath, name)).catch(() => undefined)
    return file?.size ?? 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

export const nodeMethods: Readonly<Record<string, NodeMethod>> = {
  async 'node.status'(node) {
    const names = await listUsernames(node.store.db)
    const { bavail, bsize } = await statfs(node.store.folder)
    return {
      running: true,
      url: `${node.publicBase()}/`,
      pid: process.pid,
      version: productVersion(),
      apiVersion: node.apiVersion,
      state: node.store.state,
      commits: node.store.commits,
      accounts: names.length,
      memoryBytes: process.memoryUsage.rss(),
      uptimeSeconds: process.uptime(),
      disk: { storeBytes: await folderBytes(node.store.folder), freeBytes: bavail * bsize },
      peers: [],
    }
  },
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
    const { user, token } = await register(node, asked)
    const loaded = await loadedOf(node, { username: user.username })
    return {
      user: await describe(node, loaded),
      apiEndpoint: apiEndpoint(node, user.username, token.reveal()),
    }
  },
  async 'profiles.showApp'(node, params) {
    return readAppSet(node, await loadedOf(node, params), String(params['app'] ?? ''))
  },
  async 'profiles.updateApp'(node, params) {
    return changeAppSet(node, await loadedOf(node, params), String(params['app'] ?? ''), params['update'])
  },
  async 'users.delete'(node, params) {
    const loaded = await loadedOf(node, params)
    await erase(node, loaded)
    return { userDeletion: { username: loaded.user.username } }
  },
}
