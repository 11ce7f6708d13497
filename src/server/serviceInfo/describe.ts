/** What the service information says: addresses, names, features (data supplement 15, accounts supplement 21). */
import * as z from 'zod'
import { isVerificationOn } from '../account/verification.js'
import { accessRoot, apiTemplate, registerRoot } from '../apiEndpoint.js'
import { offeredMethods } from '../mfa/offer.js'
import type { Node } from '../node.js'
import { provesEmails } from '../register/emailProof.js'

export const ServiceInfo = z.object({
  serial: z.string(),
  api: z.string(),
  access: z.string(),
  register: z.string(),
  name: z.string(),
  home: z.string(),
  support: z.string(),
  terms: z.string(),
  eventTypes: z.string(),
  version: z.string(),
  account: z.string().optional(),
  assets: z.record(z.string(), z.unknown()),
  adapters: z.record(z.string(), z.unknown()).optional(),
  features: z.record(z.string(), z.unknown()),
})

/** Describes the service by the settings of its node, without the serial (specification, "Service info"). */
export function describeService(node: Node): Omit<z.output<typeof ServiceInfo>, 'serial'> {
  const { config } = node
  const base = node.publicBase()
  const account = config.get('service.account')
  const adapters = config.get('service.adapters')
  return {
    api: apiTemplate(node),
    access: accessRoot(node),
    register: registerRoot(node),
    name: config.get('service.name'),
    home: config.get('service.home') ?? `${base}/`,
    support: config.get('service.support') ?? `${base}/`,
    terms: config.get('service.terms') ?? `${base}/`,
    eventTypes: eventTypesAddress(node),
    version: node.apiVersion,
    ...(account === null ? {} : { account: account.endsWith('/') ? account : `${account}/` }),
    assets: config.get('service.assets') ?? { definitions: `${base}/assets/index.json` },
    ...(adapters === null ? {} : { adapters }),
    features: {
      contentQueries: true,
      mfa: { methods: offeredMethods(config) },
      emailVerification: { atRegistration: provesEmails(node), onAccount: isVerificationOn(node) },
      delegation: config.get('delegation.active'),
      // What the operator says counts more.
      ...config.get('service.features'),
    },
  }
}

/** Where apps read the directory: from where the operator took it, or from this node. */
function eventTypesAddress(node: Node): string {
  const source = node.config.get('service.eventTypes')
  return source !== null && /^https?:/.test(source) ? source : `${node.publicBase()}/assets/event-types/flat.json`
}
