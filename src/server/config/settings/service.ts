/** Settings of the public service information: service info, hostings, application directory (docs/interface/service-info.md). */
import * as z from 'zod'
import { linkText, objectOf, setting, text, webAddress } from '../setting.js'
import { AppEntry } from '../appEntry.js'

const named = { name: z.string(), localizedName: z.record(z.string(), z.string()).optional() }
const Hosting = z.looseObject({ ...named, description: z.string().optional(), url: z.string().optional() })
const Zone = z.looseObject({ ...named, hostings: z.record(z.string(), Hosting) })
const Region = z.looseObject({ ...named, zones: z.record(z.string(), Zone) })

export const serviceSettings = {
  'service.name': setting(text(), { default: 'coffer', summary: 'Name of the service, as shown in apps.' }),
  'service.serial': setting(text(), {
    default: null,
    summary:
      'Serial of the service information, which apps reload when it changes; default: derived from the version of coffer ' +
      'and from the settings that the service information shows.',
  }),
  'service.home': setting(linkText('an address'), {
    default: null,
    summary: 'Home page of the service; default: the address of the node.',
  }),
  'service.support': setting(linkText('an address or an e-mail address'), {
    default: null,
    summary: 'Help page or contact address for users; default: the address of the node.',
  }),
  'service.terms': setting(linkText('an address or a text'), {
    default: null,
    summary: 'Terms of use; default: the address of the node.',
  }),
  'service.eventTypes': setting(text('an address or a file'), {
    default: null,
    summary:
      'Directory of event types that extends the built-in one, by address or file; default: the built-in one.',
  }),
  'service.version': setting(text(), {
    default: null,
    summary: 'API version to announce; default: the one this release implements.',
  }),
  'service.account': setting(webAddress, {
    default: null,
    summary: 'Address of the account app, included in the service information.',
  }),
  'service.assets': setting(objectOf('an object of names and addresses', () => z.record(z.string(), z.unknown())), {
    default: null,
    summary: 'Assets in the service information, such as { definitions = "https://..." }; default: those of this node.',
  }),
  'service.adapters': setting(objectOf('an object', () => z.record(z.string(), z.unknown())), {
    default: null,
    summary: 'Adapters in the service information; passed through unchanged.',
  }),
  'service.features': setting(objectOf('an object of features', () => z.record(z.string(), z.unknown())), {
    default: null,
    summary: 'Features in the service information; they override those that the node detects itself.',
  }),
  hostings: setting(objectOf('an object { regions }, with zones and hostings in it', () => z.strictObject({ regions: z.record(z.string(), Region) })), {
    default: null,
    summary: 'Hostings that users can choose, by region and zone; default: this node only.',
  }),
  'core.hosting': setting(text('the key of a hosting'), {
    default: null,
    summary: 'Hosting of this node; default: all of them.',
  }),
  appList: setting(objectOf('an object of application entries by id', () => z.record(z.string().min(1), AppEntry)), {
    default: {},
    summary: 'Applications of the directory by id, in addition to those of coffer apps.',
  }),
} as const
