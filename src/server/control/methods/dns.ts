/** What the operator can do about the names of the domain, beside the methods of the interface. */
import type { NodeMethod } from '../control.js'
import { listNames, setName, unsetName } from '../../dns/names.js'

export const dnsMethods: Readonly<Record<string, NodeMethod>> = {
  /** `active`: whether the node answers for the domain. `root`: the records of the domain itself that the settings give. */
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
