/** Look-ups of names whose accounts other cores have, with a cache. */
import type { Holder, Name } from '../port.js'
import { nameKey, platformUnavailable } from '../port.js'
import { EtcdError, type EtcdClient, type RangeRequest } from './api.js'
import { valueOf, type AccountValue, type NameValue, type PlatformKeys } from './keys.js'

/** Maximum number of cached names. */
const MAX_CACHED = 200_000
/** Milliseconds for which a holder is used without asking again. */
const FRESH_MS = 30_000
/** The same for names that nobody has: a registration elsewhere is seen after this time. */
const FRESH_ABSENT_MS = 2000
const SERIALIZABLE_MS = 2000

interface Cached {
  holder: Holder | null
  /** Start of the look-up on the monotonic clock, in milliseconds: the answer may be as old. */
  at: number
}

/** A look-up under way, which others join. */
interface Asking {
  answer: Promise<Holder | undefined>
  /** Its start. */
  at: number
}

interface NameLookups {
  /** Returns what is cached: null for a name that nobody has, undefined when it must be looked up. */
  peek(name: Name): Holder | null | undefined
  /** @throws Failure `platform-unavailable` when etcd does not answer and nothing is cached */
  lookUp(name: Name, isFresh: boolean): Promise<Holder | undefined>
  /** Drops a name from the cache. */
  forget(name: Name): void
}

export function createNameLookups(client: Pick<EtcdClient, 'range'>, keys: PlatformKeys): NameLookups {
  const cache = new Map<string, Cached>()
  const asking = new Map<string, Asking>()

  const ageOf = ({ at }: Cached): number => performance.now() - at
  const isFreshEntry = (entry: Cached): boolean => ageOf(entry) < (entry.holder === null ? FRESH_ABSENT_MS : FRESH_MS)

  function remember(key: string, holder: Holder | null, at: number): void {
    // A later look-up may have been answered first.
    if ((cache.get(key)?.at ?? at) > at) return
    cache.delete(key)
    if (cache.size >= MAX_CACHED) for (const oldest of cache.keys()) {
      cache.delete(oldest)
      break
    }
    cache.set(key, { holder, at })
  }

  /** Reads the name and its account, first from any member, then exactly when that finds nothing. */
  async function read(name: Name): Promise<Holder | undefined> {
    return (await readFrom(name, { isSerializable: true })) ?? readFrom(name, {})
  }

  async function readFrom(name: Name, how: Pick<RangeRequest, 'isSerializable'>): Promise<Holder | undefined> {
    const options = how.isSerializable === true ? { timeoutMs: SERIALIZABLE_MS } : {}
    const [named] = (await client.range({ key: keys.name(name), ...how }, options)).items
    if (named === undefined) return undefined
    const { a: account, h: operation } = valueOf<NameValue>(named.value)
    // Held by a change that is not confirmed yet, and may be given up.
    if (operation !== undefined) return undefined
    const [home] = (await client.range({ key: keys.account(account), ...how }, options)).items
    if (home === undefined) return undefined
    const { c: core, u: username } = valueOf<AccountValue>(home.value)
    return { core, account, ...(username === undefined ? {} : { username }) }
  }

  function ask(name: Name, how: 'any' | 'exact'): Promise<Holder | undefined> {
    const key = nameKey(name)
    const at = performance.now()
    const known = how === 'any' ? asking.get(key) : undefined
    if (known !== undefined && at - known.at < FRESH_ABSENT_MS) return known.answer
    const reading = (how === 'any' ? read(name) : readFrom(name, {})).then((holder) => {
      remember(key, holder ?? null, at)
      return holder
    })
    if (how === 'exact') return reading
    const answer = reading.finally(() => {
      if (asking.get(key)?.answer === answer) asking.delete(key)
    })
    asking.set(key, { answer, at })
    return answer
  }

  return {
    peek(name) {
      const key = nameKey(name)
      const entry = cache.get(key)
      if (entry === undefined) return undefined
      if (!isFreshEntry(entry)) {
        if (entry.holder === null) return undefined
        // Used while it is asked again.
        ask(name, 'any').catch(() => {})
      }
      return entry.holder
    },
    async lookUp(name, isFresh) {
      const key = nameKey(name)
      const entry = cache.get(key)
      if (!isFresh && entry !== undefined && isFreshEntry(entry)) return entry.holder ?? undefined
      try {
        return await ask(name, isFresh ? 'exact' : 'any')
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error
        if (!isFresh && entry !== undefined && entry.holder !== null) return entry.holder
        throw platformUnavailable()
      }
    },
    forget: (name) => void cache.delete(nameKey(name)),
  }
}
