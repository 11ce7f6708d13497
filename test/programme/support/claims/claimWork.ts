/** Work of several clients on the names of a platform: few names, so that claims meet, and random choices from a seed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../../../src/server/base/ids.js'
import type { Name } from '../../../../src/server/platform/registry/port.js'
import type { ClaimLedger, OpenOperation } from './claimLedger.js'
import type { CommandBody, CoreReply, StoredAccount } from './commands.js'
import { CoreEnded, type CoreProcess } from './coreProcess.js'
import { HOLD } from './nameHistory.js'

const USERNAMES = Array.from({ length: 6 }, (_, n) => `contended-${n}`)
const EMAILS = Array.from({ length: 5 }, (_, n) => `contended-${n}@example.org`)
const MAX_PAUSE_MS = 60
/** Longest hold, in milliseconds. */
const MAX_HOLD_MS = 300
/** Ten days: longer than the jumps of clocks. */
const ONCE_SECONDS = 864_000

const username = (value: string): Name => ({ field: 'username', value })
const email = (value: string): Name => ({ field: 'email', value })

/** An account, as far as the clients know. */
interface KnownAccount {
  id: string
  username: string
  email: string
  /** Names that it has, and those that it may have. */
  names: Name[]
  maybe: Name[]
  /** False after a change with an unknown outcome. */
  isSure: boolean
  isBusy: boolean
}

export interface ClaimWork {
  /** Runs the clients of all cores for some milliseconds. */
  run(ms: number): Promise<void>
  /** Sets the accounts of a core, as its store has them. */
  reset(core: string, accounts: readonly StoredAccount[]): void
  /** Compares the counters of the round with what was acknowledged, and begins others. */
  checkCounters(core: CoreProcess): Promise<void>
}

export function createClaimWork(cores: readonly CoreProcess[], clients: number, ledger: ClaimLedger, random: (limit: number) => number): ClaimWork {
  const { totals, problems } = ledger
  const accounts = new Map<string, KnownAccount[]>(cores.map(({ id }) => [id, []]))
  let round = 0
  /** Tokens of increments, with their outcomes. */
  let increments = new Map<string, 'ok' | 'unsure' | 'none'>()
  let winners = new Map<string, number>()
  let isOver = false

  const pick = <T>(list: readonly T[]): T => {
    const item = list[random(list.length)]
    if (item === undefined) throw new Error('the list is empty')
    return item
  }
  const fail = (core: CoreProcess, what: string, { outcome, error }: CoreReply): void => {
    totals.wrong += 1
    problems.push(`core ${core.id}: ${what} ended as ${outcome}: ${error ?? ''}`)
  }

  /** Asks a core; undefined when its process ended before it answered. */
  async function ask(core: CoreProcess, command: CommandBody, onHeld?: (id: number) => void): Promise<CoreReply | undefined> {
    try {
      return await core.ask(command, onHeld)
    } catch (error) {
      if (error instanceof CoreEnded) return undefined
      throw error
    }
  }

  /** Sets the outcome of claims that were refused, and of those that were not made because another one was. */
  function refuse(claims: readonly { name: Name; open: OpenOperation }[], { taken = [], lingers }: CoreReply): void {
    const more = lingers === true ? { lingers } : {}
    for (const { name, open } of claims) {
      const isTaken = taken.some(({ field, value }) => field === name.field && value === name.value)
      open.end({ kind: isTaken ? 'refused' : 'attempt', ...more })
    }
  }

  /** Runs a command that claims and releases names of an account. */
  async function change(core: CoreProcess, command: CommandBody, account: KnownAccount, take: readonly Name[], leave: readonly Name[]): Promise<boolean> {
    const about = `core ${core.id} ${command.what}`
    const claims = take.map((name) => ({ name, open: ledger.begin('claim', name, account.id, about) }))
    const releases = leave.map((name) => ({ name, open: ledger.begin('release', name, account.id, about) }))
    const possible = account.maybe.map((name) => ({ name, open: ledger.begin('release', name, account.id, about) }))
    if (command.what !== 'delete') for (const { open } of possible) open.remove()
    const reply = await ask(core, command)
    const more = reply?.lingers === true ? { lingers: true as const } : {}
    switch (reply?.outcome) {
      case 'ok':
        for (const { open } of [...claims, ...releases]) open.end(more)
        return true
      case 'refused':
        refuse(claims, reply)
        for (const { open } of releases) open.remove()
        return false
      case 'absent':
        for (const { open } of [...claims, ...releases, ...possible]) open.remove()
        if (account.isSure) fail(core, `${command.what} of the acknowledged account ${account.id}`, reply)
        account.isSure = false
        return false
      default:
        // The outcome is unknown.
        if (reply?.outcome === 'failed') fail(core, command.what, reply)
        for (const { open } of claims) open.operation.lingers = true
        account.isSure = false
        account.maybe.push(...take, ...leave)
        account.names = account.names.filter((name) => !leave.includes(name))
        return false
    }
  }

  async function create(core: CoreProcess): Promise<void> {
    const id = newId()
    const chosen = { username: pick(USERNAMES), email: random(2) === 0 ? pick(EMAILS) : `${id}@example.org` }
    const names = [username(chosen.username), email(chosen.email)]
    const account: KnownAccount = { id, ...chosen, names: [], maybe: [], isSure: true, isBusy: true }
    if (await change(core, { what: 'create', account: id, ...chosen }, account, names, [])) account.names = names
    else if (account.isSure) return
    account.isBusy = false
    accounts.get(core.id)?.push(account)
  }

  async function withAccount(core: CoreProcess, isWanted: (account: KnownAccount) => boolean, work: (account: KnownAccount) => Promise<void>): Promise<void> {
    const usable = (accounts.get(core.id) ?? []).filter((account) => !account.isBusy && isWanted(account))
    if (usable.length === 0) return
    const account = pick(usable)
    account.isBusy = true
    await work(account)
    account.isBusy = false
  }

  const rename = (core: CoreProcess): Promise<void> =>
    withAccount(core, ({ isSure }) => isSure, async (account) => {
      const next = pick(USERNAMES)
      if (next === account.username) return
      if (!(await change(core, { what: 'rename', account: account.id, username: next }, account, [username(next)], []))) return
      account.username = next
      if (!account.names.some(({ value }) => value === next)) account.names.push(username(next))
    })

  const changeEmail = (core: CoreProcess): Promise<void> =>
    withAccount(core, ({ isSure }) => isSure, async (account) => {
      const next = pick(EMAILS)
      if (next === account.email) return
      const left = account.names.find(({ field }) => field === 'email')
      if (left === undefined || !(await change(core, { what: 'email', account: account.id, email: next }, account, [email(next)], [left]))) return
      account.email = next
      account.names = [...account.names.filter((name) => name !== left), email(next)]
    })

  const remove = (core: CoreProcess): Promise<void> =>
    withAccount(core, () => true, async (account) => {
      if (await change(core, { what: 'delete', account: account.id }, account, [], account.names)) {
        accounts.set(core.id, (accounts.get(core.id) ?? []).filter((other) => other !== account))
      }
    })

  async function hold(core: CoreProcess): Promise<void> {
    const name = random(2) === 0 ? username(pick(USERNAMES)) : email(pick(EMAILS))
    const owner = `${HOLD}${newId()}`
    const claim = ledger.begin('claim', name, owner, `core ${core.id} hold`)
    let release: OpenOperation | undefined
    const reply = await ask(core, { what: 'hold', names: [name] }, (id) => {
      claim.end()
      void sleep(random(MAX_HOLD_MS)).then(() => {
        release = ledger.begin('release', name, owner, `core ${core.id} hold`)
        return ask(core, { what: 'release', hold: id })
      })
    })
    const more = reply?.lingers === true ? { lingers: true as const } : {}
    if (reply?.outcome === 'refused') refuse([{ name, open: claim }], reply)
    else if (reply?.outcome === 'ok') release?.end(more)
    else if (reply?.outcome === 'failed') fail(core, 'hold', reply)
    if (reply?.outcome === 'ok') return void Object.assign(claim.operation, more)
    claim.operation.lingers = true
    // Its core ended while it held the name, which its next start releases.
    if (claim.operation.isSure && claim.operation.kind === 'claim' && release === undefined) ledger.begin('release', name, owner, `core ${core.id} ended`)
    else if (!claim.operation.isSure) claim.end({ kind: 'attempt', lingers: true })
  }

  async function lookUp(core: CoreProcess, isFresh: boolean): Promise<void> {
    const name = random(3) > 0 ? username(pick(USERNAMES)) : email(pick(EMAILS))
    const read = ledger.begin('read', name, null, `core ${core.id}`)
    const reply = await ask(core, { what: 'look-up', name, isFresh })
    if (reply?.outcome !== 'ok') {
      read.remove()
      if (reply !== undefined && reply.outcome !== 'unsure') fail(core, 'look-up', reply)
      return
    }
    const holder = reply.holder ?? null
    const how = holder?.core === core.id ? 'own' : isFresh ? 'exact' : 'cached'
    read.end({ account: holder?.account ?? null, how })
  }

  async function increment(core: CoreProcess): Promise<void> {
    const token = newId().slice(0, 12)
    increments.set(token, 'unsure')
    const reply = await ask(core, { what: 'count', counter: `round-${round}`, token })
    if (reply?.outcome === 'ok') increments.set(token, 'ok')
    else if (reply !== undefined && reply.outcome !== 'unsure') fail(core, 'count', reply)
  }

  async function once(core: CoreProcess): Promise<void> {
    const id = `${round}-${random(200)}`
    const reply = await ask(core, { what: 'once', once: id, expires: Math.floor(Date.now() / 1000) + ONCE_SECONDS })
    totals.onceClaims += 1
    if (reply?.outcome === 'ok' && reply.isFirst === true) winners.set(id, (winners.get(id) ?? 0) + 1)
    else if (reply?.outcome === 'failed') fail(core, 'once', reply)
  }

  const kinds: readonly [weight: number, work: (core: CoreProcess) => Promise<void>][] = [
    [24, create], [12, rename], [10, changeEmail], [20, remove], [4, hold],
    [12, (core) => lookUp(core, true)], [8, (core) => lookUp(core, false)], [6, increment], [4, once],
  ]

  async function client(core: CoreProcess): Promise<void> {
    while (!isOver) {
      let at = random(100)
      const [, work] = kinds.find(([weight]) => (at -= weight) < 0) ?? [0, create]
      if (core.isUp) await work(core)
      await sleep(1 + random(MAX_PAUSE_MS))
    }
  }

  return {
    async run(ms) {
      isOver = false
      const running = cores.flatMap((core) => Array.from({ length: clients }, () => client(core)))
      await sleep(ms)
      isOver = true
      await Promise.all(running)
    },
    reset(core, stored) {
      accounts.set(core, stored.map(({ id, username: current, usernames, unique }): KnownAccount => {
        const names = [...usernames.map(username), ...unique.map(([field, value]) => ({ field, value }))]
        const address = unique.find(([field]) => field === 'email')?.[1] ?? ''
        return { id, username: current, email: address, names, maybe: [], isSure: true, isBusy: false }
      }))
    },
    async checkCounters(core) {
      const { counted = [] } = await core.ask({ what: 'counted', counter: `round-${round}` })
      for (const [token, outcome] of increments) {
        const times = counted.filter((found) => found === token).length
        totals.increments += 1
        if (times > 1 || (outcome === 'ok' && times === 0)) {
          totals.wrong += 1
          problems.push(`an increment with the outcome ${outcome} counts ${times} times`)
        }
      }
      for (const [id, count] of winners) {
        if (count === 1) continue
        totals.twoWinners += 1
        problems.push(`the single-use record ${id} has ${count} winners`)
      }
      round += 1
      increments = new Map()
      winners = new Map()
    },
  }
}
