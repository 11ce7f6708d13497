/**
 * Core of a platform that kills itself at a chosen step of a claim. Commands: `claim create|rename|delete <username> <step>`,
 * with `before-hold`, `after-hold`, `before-confirm`, `after-confirm` or `never`; `names`, which compares the names of the store
 * with etcd.
 */
import { createSeal } from '../../src/store/keyring/seal.js'
import { Secret } from '../../src/store/model/secret.js'
import { erase } from '../../src/server/api/register/deleteUser.js'
import { readRegistration } from '../../src/server/api/register/input.js'
import { fillAccount } from '../../src/server/api/register/newAccount.js'
import { claiming } from '../../src/server/api/shared/names.js'
import { presentUser, replaceUser } from '../../src/server/api/shared/updateUser.js'
import { renamed } from '../../src/server/api/account/rename.js'
import { createLog } from '../../src/server/base/log.js'
import type { Node } from '../../src/server/index.js'
import type { EtcdClient, TransactionRequest } from '../../src/server/platform/registry/etcd/api.js'
import { createEtcdClient } from '../../src/server/platform/registry/etcd/client.js'
import { createEtcdRegistry } from '../../src/server/platform/registry/etcd/index.js'
import { createLocalRegistry } from '../../src/server/platform/registry/local.js'
import { say, serve } from './serve.js'

/** Presence of killed cores ends soon. */
const LEASE_SECONDS = 2

const { endpoints, platformId } = JSON.parse(process.env['CLAIMS'] ?? '{}') as { endpoints: string[]; platformId: string }
let breakAt = 'never'

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}

/** Returns the step of a claim that a transaction is. */
function stepOf({ then }: TransactionRequest): 'hold' | 'confirm' | undefined {
  const isOperation = (key: string): boolean => key.includes('/o/')
  if (then.some((operation) => 'put' in operation && isOperation(operation.put))) return 'hold'
  return then.some((operation) => 'delete' in operation && isOperation(operation.delete)) ? 'confirm' : undefined
}

const killing = (client: EtcdClient): EtcdClient => ({
  ...client,
  async transaction(request, options) {
    const step = stepOf(request)
    if (breakAt === `before-${step}`) return die()
    const result = await client.transaction(request, options)
    return breakAt === `after-${step}` ? die() : result
  },
})

async function claim(node: Node, what: string, username: string): Promise<void> {
  if (what === 'create') {
    const asked = readRegistration({ username, password: 'a password of tests', email: `${username}@example.org`, appId: 'test-app' }, node.systemStreams)
    const id = node.newId()
    const about = { id, asked, passwordHash: '', invitation: undefined, isProved: false }
    const take = [{ field: 'username', value: username }, { field: 'email', value: `${username}@example.org` }]
    await claiming(node, { account: id, by: 'creation', take }, (enter) =>
      node.store.createAccount((t, account) => {
        enter(t)
        return fillAccount(node, t, account, about)
      }),
    )
    return
  }
  const loaded = await node.accounts.find(username)
  if (loaded === undefined) throw new Error(`no account ${username}`)
  if (what === 'delete') return erase(node, loaded)
  await loaded.account.exclusively(async (write) => {
    const before = presentUser(loaded.account)
    await replaceUser(node, write, before, renamed(node, before, `${username}-renamed`), () => undefined)
  })
}

await serve(
  async ({ node }, [command, what = '', username = '', step = 'never']) => {
    if (command === 'names') {
      const { platform } = node.registry
      return say({ unsettled: platform?.unsettled, report: await platform?.compareNames(false) })
    }
    breakAt = step
    await claim(node as Node, what, username).then(
      () => say({ done: true }),
      (error: unknown) => say({ failed: String(error) }),
    )
  },
  {
    async registry({ store, core, now }) {
      const log = createLog('error', () => 0, (line) => void process.stderr.write(line))
      const seal = await createSeal(new Secret(new Uint8Array(32).fill(5)))
      const client = createEtcdClient({ endpoints, log })
      return createEtcdRegistry({
        client: killing(client),
        local: createLocalRegistry(store, core, now),
        ...{ store, platformId, seal, isClear: false, log, now },
        leaseSeconds: LEASE_SECONDS,
      })
    },
  },
)
