/**
 * Operator-defined names below the domain of the node (docs/interface/system.md#dns-records): in the setting `dns.staticEntries`,
 * or stored in the registry of the platform. The setting takes precedence.
 */
import type { Records } from '../registry/port.js'
import { Failure } from '../../../store/model/failure.js'
import { checkInput } from '../../../store/model/validation.js'
import { NameRecords, Subdomain } from '../../config/dnsRecords.js'
import type { Context } from '../../call/context.js'

/** Registry family of the stored records, by subdomain. */
export const DNS_FAMILY = 'dns-record'

/** Reserved names of the registration service; they always resolve to this node. */
export const SERVICE_NAMES: ReadonlySet<string> = new Set(['reg', 'access', 'mfa', 'lsc'])

interface NamedRecords {
  subdomain: string
  records: NameRecords
  /** Their source. */
  from: 'settings' | 'set'
}

type Parts = Pick<Context, 'config' | 'registry'>

/** Lists all names, sorted. */
export async function listNames({ config, registry }: Parts): Promise<NamedRecords[]> {
  const fixed = config.get('dns.staticEntries')
  const stored = await registry.records.list(DNS_FAMILY)
  const found = [
    ...Object.entries(fixed).map(([subdomain, records]): NamedRecords => ({ subdomain, records, from: 'settings' })),
    ...stored.filter(({ id }) => !Object.hasOwn(fixed, id)).map(({ id, value }): NamedRecords => ({ subdomain: id, records: value as NameRecords, from: 'set' })),
  ]
  return found.sort((a, b) => (a.subdomain < b.subdomain ? -1 : 1))
}

/** Replaces the records of a name. @throws Failure `invalid-parameters` */
export async function setName({ config, registry }: Parts, input: { subdomain: unknown; records: unknown }): Promise<NamedRecords> {
  const subdomain = subdomainOf(input.subdomain)
  if (SERVICE_NAMES.has(subdomain)) throw invalid(`"${subdomain}" is reserved for the nodes of this platform.`)
  if (Object.hasOwn(config.get('dns.staticEntries'), subdomain)) throw invalid(`"${subdomain}" is in the setting dns.staticEntries. Change it there.`)
  const read = checkInput(NameRecords, input.records)
  if (!read.success) {
    const [first] = read.issues
    const place = first === undefined || first.path.length === 0 ? '' : `${first.path.join('.')}: `
    throw invalid(`The records of "${subdomain}" are invalid: ${place}${first?.message ?? ''}`)
  }
  await registry.records.change(DNS_FAMILY, subdomain, () => ({ put: read.data, result: undefined }))
  return { subdomain, records: read.data, from: 'set' }
}

/**
 * Removes the records of a name. @throws Failure `invalid-parameters`, `unknown-resource`; `invalid-operation` for one of the
 * setting
 */
export async function unsetName({ config, registry }: Parts, input: unknown): Promise<{ subdomain: string }> {
  const subdomain = subdomainOf(input)
  await registry.records.change(DNS_FAMILY, subdomain, (now) => {
    if (now !== undefined) return { put: null, result: undefined }
    if (!Object.hasOwn(config.get('dns.staticEntries'), subdomain)) throw new Failure('unknown-resource', `"${subdomain}" has no records.`)
    throw new Failure('invalid-operation', `"${subdomain}" is in the setting dns.staticEntries. Remove it there.`)
  })
  return { subdomain }
}

/** Adds a TXT record to a name temporarily. Returns a function that removes it. */
export async function addTextRecord(records: Records, subdomain: string, text: string): Promise<() => Promise<void>> {
  const change = (step: (texts: readonly string[]) => string[]): Promise<void> =>
    records.change(DNS_FAMILY, subdomain, (now) => {
      const { txt = [], ...others } = (now ?? {}) as NameRecords
      const texts = step(txt)
      const record = { ...others, ...(texts.length === 0 ? {} : { txt: texts }) }
      return { put: Object.keys(record).length === 0 ? null : record, result: undefined }
    })
  await change((texts) => [...texts.filter((each) => each !== text), text])
  return () => change((texts) => texts.filter((each) => each !== text))
}

function subdomainOf(input: unknown): string {
  const read = checkInput(Subdomain, input)
  if (!read.success) throw invalid('subdomain must be one or more labels below the domain, such as "www": letters, digits, - and _, separated by dots.')
  return read.data
}

const invalid = (message: string): Failure => new Failure('invalid-parameters', message)
