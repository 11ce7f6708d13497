/** Operator methods for DNS names of the domain, besides the methods of the API. */
import type { NodeMethod } from '../control.js'
import { listNames, setName, unsetName } from '../../dns/names.js'

export const dnsMethods: Readonly<Record<string, NodeMethod>> = {
  /** `active`: true when the name server of the node is running. `root`: the records of the domain itself from the settings. */
  async 'dns.list'(node) {
    const { config } = node
    return { domain: config.get('dns.domain'), active: config.get('dns.active'), root: config.get('dns.records.root'), names: await listNames(node) }
  },
  async 'dns.set'(node, { subdomain, records }) {
    return { name: await setName(node, { subdomain, records }) }
  },
  async 'dns.unset'(node, { subdomain }) {
    return { nameDeletion: await unsetName(node, subdomain) }
  },
}
