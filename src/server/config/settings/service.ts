/** Settings of what the service tells about itself: service info, hostings, the directory of apps (accounts supplement 21, 25). */
import * as z from 'zod'
import { linkText, objectOf, setting, text, webAddress } from '../setting.js'
import { AppEntry } from '../appEntry.js'

const named = { name: z.string(), localizedName: z.record(z.string(), z.string()).optional() }
const Hosting = z.looseObject({ ...named, description: z.string().optional(), url: z.string().optional() })
const Zone = z.looseObject({ ...named, hostings: z.record(z.string(), Hosting) })
const Region = z.looseObject({ ...named, zones: z.record(z.string(), Zone) })

export const serviceSettings = {
  'service.name': setting(text(), { default: 'coffer', summary: 'Name of the service, as apps show it.' }),
  'service.serial': setting(text(), {
    default: null,
    summary:
      'Serial of the service information, which apps read again when it changes; without it, it follows from the version of coffer ' +
      'and the settings that the information shows.',
  }),
  'service.home': setting(linkText('an address'), {
    default: null,
    summary: 'Home page of the service; without it, the address of the node.',
  }),
  'service.support': setting(linkText('an address or an e-mail address'), {
    default: null,
    summary: 'Where users find help; without it, the address of the node.',
  }),
  'service.terms': setting(linkText('an address or a text'), {
    default: null,
    summary: 'Terms of use; without it, the address of the node.',
  }),
  'service.eventTypes': setting(text('an address or a file'), {
    default: null,
    summary:
      'Directory of event types to load over the built-in one, by address or file; without it, the built-in one.',
  }),
  'service.version': setting(text(), {
    default: null,
    summary: 'API version to announce; without it, the one this release implements.',
  }),
  'service.account': setting(webAddress, {
    default: null,
    summary: 'Address of the account app, which service information then names.',
  }),
  'service.assets': setting(objectOf('an object of names and addresses', z.record(z.string(), z.unknown())), {
    default: null,
    summary: 'Assets that service information names, such as { definitions = "https://..." }; without it, those of this node.',
  }),
  'service.adapters': setting(objectOf('an object', z.record(z.string(), z.unknown())), {
    default: null,
    summary: 'Adapters that service information names; passed through as they are.',
  }),
  'service.features': setting(objectOf('an object of features', z.record(z.string(), z.unknown())), {
    default: null,
    summary: 'Features that service information names over those that the node finds itself.',
  }),
  hostings: setting(objectOf('an object { regions }, with zones and hostings in it', z.strictObject({ regions: z.record(z.string(), Region) })), {
    default: null,
    summary: 'Where accounts can live, by region and zone, as people choose it; without it, this node alone.',
  }),
  'core.hosting': setting(text('the key of a hosting'), {
    default: null,
    summary: 'The hosting of this node; without it, the node offers all of them.',
  }),
  appList: setting(objectOf('an object of application entries by id', z.record(z.string().min(1), AppEntry)), {
    default: {},
    summary: 'Applications of the directory, by id, beside those of coffer apps.',
  }),
} as const
