/** Kinds of events that people add most often, in their words. */
import type { InLanguages } from '../../../base/words.js'
import { typeName } from '../../events/eventValue.js'
import type { OwnVisit } from '../../page.js'

interface Kind {
  type: string
  name: InLanguages<string>
}

const kind = (type: string, en: string, fr: string, de: string): Kind => ({ type, name: { en, fr, de } })

export const commonKinds: readonly Kind[] = [
  kind('mass/kg', 'Weight', 'Poids', 'Gewicht'),
  kind('length/cm', 'Height', 'Taille', 'Grösse'),
  kind('temperature/c', 'Temperature', 'Température', 'Temperatur'),
  kind('frequency/bpm', 'Heart rate', 'Pouls', 'Puls'),
  kind('blood-pressure/mmhg-bpm', 'Blood pressure', 'Tension artérielle', 'Blutdruck'),
  kind('mood/rating', 'Mood', 'Humeur', 'Stimmung'),
  kind('note/txt', 'Note', 'Note', 'Notiz'),
  kind('activity/plain', 'Activity', 'Activité', 'Aktivität'),
  kind('count/steps', 'Steps', 'Pas', 'Schritte'),
  kind('count/generic', 'Number', 'Nombre', 'Anzahl'),
  kind('boolean/bool', 'Yes or no', 'Oui ou non', 'Ja oder nein'),
  kind('position/wgs84', 'Position', 'Position', 'Position'),
  kind('time/min', 'Minutes', 'Minutes', 'Minuten'),
  kind('money/chf', 'Money', 'Argent', 'Geld'),
  kind('url/http', 'Web address', 'Adresse web', 'Webadresse'),
]

/** Returns the name of a type as people call it, else that of the directory of types. */
export const kindName = (type: string, visit: OwnVisit): string => commonKinds.find((one) => one.type === type)?.name[visit.language] ?? typeName(type, visit)
