/**
 * Core of a platform under test. Commands are lines `do <JSON>` and run at the same time; each is answered by a line with its id.
 * Some answers of etcd get lost on purpose, and some transactions are applied late, as by a member that was frozen.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSeal } from '../../../../src/store/keyring/seal.js'
import { Failure } from '../../../../src/store/model/failure.js'
import { Secret } from '../../../../src/store/model/secret.js'
import { listUsernames, namesOf, readUser, type User } from '../../../../src/store/accounts/users.js'
import { erase } from '../../../../src/server/api/register/deleteUser.js'
import { readRegistration } from '../../../../src/server/api/register/input.js'
import { fillAccount } from '../../../../src/server/api/register/newAccount.js'
import { claiming } from '../../../../src/server/api/shared/names.js'
import { presentUser, replaceUser } from '../../../../src/server/api/shared/updateUser.js'
import { createLog } from '../../../../src/server/base/log.js'
import type { LoadedAccount } from '../../../../src/server/call/accountCache.js'
import type { Node } from '../../../../src/server/index.js'
import { EtcdError, type EtcdClient } from '../../../../src/server/platform/registry/etcd/api.js'
import { createEtcdClient } from '../../../../src/server/platform/registry/etcd/client.js'
import { createEtcdRegistry } from '../../../../src/server/platform/registry/etcd/index.js'
import { createLocalRegistry } from '../../../../src/server/platform/registry/local.js'
import { NamesTaken, platformUnavailable, type Name } from '../../../../src/server/platform/registry/port.js'
import { say, serve } from '../../../crash/serve.js'
import { seeded } from '../../../store/leveldb/fixtures.js'
import { CLAIM_SETTINGS, type Command, type CoreReply, type CoreSettings, type StoredAccount } from './commands.js'

const settings = JSON.parse(process.env[CLAIM_SETTINGS] ?? '{}') as CoreSettings
const random = seeded(settings.seed)
/** Longest time after which a late transaction is applied, in milliseconds. */
const LATE_MS = 4000

/** Seconds by which the clock of the registry is wrong. */
let clockOffset = 0
/** Percentage of transactions whose answers get lost. */
let lossPercent = 0
/** Ends of holds, by id of the command. */
const holds = new Map<number, () => void>()

/** State of a command: whether an outcome of its transactions is unknown, and whether one is applied late. */
const current = new AsyncLocalStorage<{ isUnsure: boolean; isLate: boolean }>()

const lost = (): never => {
  throw new EtcdError('the answer was lost', 'maybe', true)
}

/** Loses answers of changes, except of the presence of this core. */
const lossy = (client: EtcdClient): EtcdClient => ({
  ...client,
  async transaction(request, options) {
    const context = current.getStore()
    const isChange = request.then.some((operation) => !('range' in operation))
    const isPresence = request.then.some((operation) => 'put' in operation && operation.put.includes('/live/'))
    if (context === undefined || !isChange || isPresence || random(100) >= lossPercent) {
      return client.transaction(request, options).catch((error: unknown) => {
        if (context !== undefined && error instanceof EtcdError && error.applied === 'maybe') context.isUnsure = true
        throw error
      })
    }
    context.isUnsure = true
    const kind = random(3)
    if (kind === 0) return lost()
    // One late transaction in an operation: a late hold is released by its core, and a late confirmation finds no hold.
    if (kind === 1 && !context.isLate) {
      context.isLate = true
      const later = 50 + random(LATE_MS)
      void sleep(later).then(() => client.transaction(request)).catch(() => {})
      return lost()
    }
    await client.transaction(request, options)
    return lost()
  },
})

async function users(node: Node): Promise<User[]> {
  return (await listUsernames(node.store.db)).flatMap(({ account }) => readUser(node.store.db, account) ?? [])
}

async function accountOf(node: Node, id: string): Promise<LoadedAccount> {
  const user = (await users(node)).find((one) => one.id === id)
  const loaded = user === undefined ? undefined : await node.accounts.find(user.username)
  if (loaded === undefined) throw new Failure('unknown-resource', `There is no account ${id}.`)
  // As for each call to an account.
  if (!node.registry.isSettled(id)) throw platformUnavailable()
  return loaded
}

async function create(node: Node, id: string, username: string, email: string): Promise<void> {
  const asked = readRegistration({ username, password: 'a password of tests', email, appId: 'test-app' }, node.systemStreams)
  const about = { id, asked, passwordHash: '', invitation: undefined, isProved: false }
  const take = [{ field: 'username', value: username }, { field: 'email', value: email }]
  await claiming(node, { account: id, by: 'creation', take }, (enter) =>
    node.store.createAccount((t, account) => {
      enter(t)
      return fillAccount(node, t, account, about)
    }),
  )
}

/** Returns the user with another name; the present one becomes a former one. */
function withUsername(user: User, username: string): User {
  const formerUsernames = [...(user.formerUsernames ?? []).filter((former) => former !== username), user.username]
  return { ...user, username, formerUsernames }
}

async function change(node: Node, id: string, step: (user: User) => User): Promise<void> {
  const loaded = await accountOf(node, id)
  await loaded.account.exclusively(async (write) => {
    const before = presentUser(loaded.account)
    await replaceUser(node, write, before, step(before), () => undefined)
  })
}

async function stored(node: Node): Promise<StoredAccount[]> {
  return (await users(node)).map((user) => {
    const { usernames, unique } = namesOf(user)
    return { id: user.id, username: user.username, usernames, unique }
  })
}

async function run(node: Node, command: Command): Promise<Partial<CoreReply>> {
  const { registry } = node
  switch (command.what) {
    case 'create':
      await create(node, command.account, command.username, command.email)
      return {}
    case 'rename':
      await change(node, command.account, (user) => withUsername(user, command.username))
      return {}
    case 'email':
      await change(node, command.account, (user) => ({ ...user, unique: { ...user.unique, email: command.email } }))
      return {}
    case 'delete':
      await erase(node, await accountOf(node, command.account))
      return {}
    case 'hold':
      await registry.hold(command.names, async () => {
        const released = new Promise<void>((resolve) => holds.set(command.id, resolve))
        say({ id: command.id, isHeld: true })
        await released
      })
      return {}
    case 'release':
      holds.get(command.hold)?.()
      holds.delete(command.hold)
      return {}
    case 'look-up':
      return { holder: (await registry.lookUp(command.name, command.isFresh ? { isFresh: true } : {})) ?? null }
    case 'count':
      await registry.records.change('counter', command.counter, (now) => ({ put: [...((now as string[] | undefined) ?? []), command.token], result: undefined }))
      return {}
    case 'counted':
      return { counted: ((await registry.records.get('counter', command.counter)) as string[] | undefined) ?? [] }
    case 'once':
      return { isFirst: await registry.records.claim('once', command.once, command.expires) }
    case 'faults':
      clockOffset = command.clockOffset ?? clockOffset
      lossPercent = command.lossPercent ?? lossPercent
      return {}
    case 'state':
      return { unsettled: registry.platform?.unsettled ?? 0, isPresent: registry.platform?.isReachable() === true, accounts: await stored(node) }
    case 'compare': {
      const report = await registry.platform?.compareNames(command.repair === true)
      return report === undefined ? {} : { report }
    }
  }
}

function outcomeOf(error: unknown): Pick<CoreReply, 'outcome' | 'taken' | 'error'> {
  if (error instanceof NamesTaken) return { outcome: 'refused', taken: [...error.names] }
  if (error instanceof Failure && error.id === 'item-already-exists') {
    const data = (error.data ?? {}) as Record<string, string>
    return { outcome: 'refused', taken: Object.entries(data).map(([field, value]): Name => ({ field, value })) }
  }
  if (error instanceof Failure && error.id === 'platform-unavailable') return { outcome: 'unsure' }
  if (error instanceof Failure && error.id === 'unknown-resource') return { outcome: 'absent' }
  return { outcome: 'failed', error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

async function answer(node: Node, command: Command): Promise<void> {
  const context = { isUnsure: false, isLate: false }
  const reply = await current.run(context, () => run(node, command)).then((result): Partial<CoreReply> => ({ outcome: 'ok', ...result }), outcomeOf)
  holds.delete(command.id)
  say({ id: command.id, ...reply, ...(context.isUnsure ? { lingers: true } : {}) })
}

await serve(
  ({ node }, [, ...words]) => {
    void answer(node as Node, JSON.parse(words.join(' ')) as Command)
    return Promise.resolve()
  },
  {
    async registry({ store, core, now }) {
      const log = createLog('error', () => 0, (line) => void process.stderr.write(line))
      const client = createEtcdClient({ endpoints: settings.endpoints, log })
      const shifted = (): number => now() + clockOffset
      return createEtcdRegistry({
        client: lossy(client),
        local: createLocalRegistry(store, core, now),
        ...{ store, platformId: settings.platformId, isClear: false, log, now: shifted },
        seal: await createSeal(new Secret(new Uint8Array(32).fill(5))),
        ...{ leaseSeconds: settings.leaseSeconds, cleanupMs: 2000 },
      })
    },
  },
)
