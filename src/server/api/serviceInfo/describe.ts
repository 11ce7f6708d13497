/** Contents of the service information: addresses, names, features (docs/interface/service-info.md). */
import * as z from 'zod'
import { isVerificationOn } from '../account/verification.js'
import { accessRoot, apiTemplate, registerRoot } from '../../config/apiEndpoint.js'
import { offeredMethods } from '../mfa/offer.js'
import type { Context } from '../../call/context.js'
import { provesEmails } from '../register/emailProof.js'
import type { MetaDeps } from '../../call/meta.js'
import type { MailDeps } from '../../mail/mailer.js'

export const ServiceInfo = z.object({
  serial: z.string().describe('Changes when the information changes.'),
  api: z.string().describe('Template of account addresses, with {username}.'),
  access: z.string().describe('Address for access requests.'),
  register: z.string().describe('Address for registration.'),
  name: z.string().describe('Name of the service.'),
  home: z.string().describe('Home page.'),
  support: z.string().describe('Support page.'),
  terms: z.string().describe('Terms of use.'),
  eventTypes: z.string().describe('Address of the directory of event types.'),
  version: z.string().describe('Version of the API.'),
  account: z.string().optional().describe('Address of the account pages.'),
  assets: z.record(z.string(), z.unknown()).describe('Addresses of assets; definitions is the index.'),
  adapters: z.record(z.string(), z.unknown()).optional().describe('Adapters, as in the settings.'),
  features: z.record(z.string(), z.unknown()).describe('Features of the service, such as mfa and delegation.'),
})

/** Returns the service information from the node's settings, without the serial (docs/interface/service-info.md#members). */
export function describeService(node: Context & MetaDeps & MailDeps): Omit<z.output<typeof ServiceInfo>, 'serial'> {
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
      seriesSummary: true,
      summaries: { events: true, streams: true },
      mfa: { methods: offeredMethods(config) },
      emailVerification: { atRegistration: provesEmails(node), onAccount: isVerificationOn(node) },
      delegation: config.get('delegation.active'),
      devices: config.get('sync.active'),
      // The operator's settings take precedence.
      ...config.get('service.features'),
    },
  }
}

/** Returns the URL of the event type directory: the configured source, or this node. */
function eventTypesAddress(node: Context): string {
  const source = node.config.get('service.eventTypes')
  return source !== null && /^https?:/.test(source) ? source : `${node.publicBase()}/assets/event-types/flat.json`
}
