/**
 * Names below the domain of the node that the operator gives records (accounts supplement 19): in the setting
 * `dns.staticEntries`, or kept in records of the platform. Of one name, the setting counts.
 */
import type { Records } from '../../sync/registry/port.js'
import { Failure } from '../../store/model/failure.js'
import { checkInput } from '../../store/model/validation.js'
import { NameRecords, Subdomain } from '../config/dnsRecords.js'
import type { Node } from '../node.js'

/** The family of the records that are kept, by subdomain. */
export const DNS_FAMILY = 'dns-record'

/** Names of the registration and of all nodes: they lead here, whatever else is said of them. */
export const SERVICE_NAMES: ReadonlySet<string> = new Set(['reg', 'access', 'mfa', 'lsc'])

export interface NamedRecords {
  subdomain: string
  records: NameRecords
  /** Where they are kept. */
  from: 'settings' | 'set'
}

type Parts = Pick<Node, 'config' | 'registry'>

/** All of them, by name. */
export async function listNames({ config, registry }: Parts): Promise<NamedRecords[]> {
  const fixed = config.get('dns.staticEntries')
  const stored = await registry.records.list(DNS_FAMILY)
  const found = [
    ...Object.entries(fixed).map(([subdomain, records]): NamedRecords => ({ subdomain, records, from: 'settings' })),
    ...stored.filter(({ id }) => !Object.hasOwn(fixed, id)).map(({ id, value }): NamedRecords => ({ subdomain: id, records: value as NameRecords, from: 'set' })),
  ]
  return found.sort((a, b) => (a.subdomain < b.subdomain ? -1 : 1))
}

/** Gives a name records, in place of those it had. @throws Failure `invalid-parameters` */
export async function setName({ config, registry }: Parts, input: { subdomain: unknown; records: unknown }): Promise<NamedRecords> {
  const subdomain = subdomainOf(input.subdomain)
  if (SERVICE_NAMES.has(subdomain)) throw invalid(`"${subdomain}" leads to the nodes of this platform, and to nothing else.`)
  if (Object.hasOwn(config.get('dns.staticEntries'), subdomain)) throw invalid(`"${subdomain}" is in the setting dns.staticEntries: change it there.`)
  const read = checkInput(NameRecords, input.records)
  if (!read.success) {
    const [first] = read.issues
    const place = first === undefined || first.path.length === 0 ? '' : `${first.path.join('.')}: `
    throw invalid(`The records of "${subdomain}" are not well formed: ${place}${first?.message ?? ''}`)
  }
  await registry.records.change(DNS_FAMILY, subdomain, () => ({ put: read.data, result: undefined }))
  return { subdomain, records: read.data, from: 'set' }
}

/** Takes the records of a name away. @throws Failure `invalid-parameters`, `unknown-resource`; `invalid-operation` for one of the setting */
export async function unsetName({ config, registry }: Parts, input: unknown): Promise<{ subdomain: string }> {
  const subdomain = subdomainOf(input)
  await registry.records.change(DNS_FAMILY, subdomain, (now) => {
    if (now !== undefined) return { put: null, result: undefined }
    if (!Object.hasOwn(config.get('dns.staticEntries'), subdomain)) throw new Failure('unknown-resource', `"${subdomain}" has no records.`)
    throw new Failure('invalid-operation', `"${subdomain}" is in the setting dns.staticEntries: take it out there.`)
  })
  return { subdomain }
}

/** Adds a text to those of a name, for as long as somebody looks for it. Answers how to take it back. */
export async function formatNames(records: Records, subdomain: string, text: string): Promise<() => Promise<void>> {
  const change = (step: (texts: readonly string[]) => string[]): Promise<void> =>
    records.change(DNS_FAMILY, subdomain, (now) => {
      const { txt = [], ...others } = (now ?? {}) as NameRecords
      const texts = step(txt)
      const put = { ...others, ...(texts.length === 0 ? {} : { txt: texts }) }
      return { put: Object.keys(put).length === 0 ? null : put, result: undefined }
    })
  await change((texts) => [...texts.filter((each) => each !== text), text])
  return () => change((texts) => texts.filter((each) => each !== text))
}

function subdomainOf(input: unknown): string {
  const read = checkInput(Subdomain, input)
  if (!read.success) throw invalid('subdomain is one name or several below the domain, such as "www": letters, digits, - and _, parted by dots.')
  return read.data
}

const invalid = (message: string): Failure => new Failure('invalid-parameters', message)
