/** Texts of the API reference. The descriptions of methods are in English, as in the schemas. */
import type { InLanguages } from '../../base/words.js'

interface ApiWords {
  title: string
  intro: string
  /** Note that descriptions are in English; absent on the English page. */
  english?: string
  address: string
  authorization: string
  authorizationText: string
  operator: string
  operatorText: string
  answers: string
  answersText: string
  forPrograms: string
  filter: string
  filterHint: string
  noMatch: string
  overview: string
  groups: string
  parameters: string
  noParameters: string
  files: string
  name: string
  form: string
  meaning: string
  required: string
  optional: string
  result: string
  withStatus(status: number): string
  isFile: string
  isText(type: string): string
  statuses: string
  failures: string
  noFailures: string
  anyFailure: string
  id: string
  status: string
  example: string
  answer: string
  copy: string
  copied: string
  objects: string
}

export const apiWords: InLanguages<ApiWords> = {
  en: {
    title: 'API reference',
    intro: 'Every method of this node: what it does, who may call it, its parameters, result and failures, and an example.',
    address: 'Address of an account',
    authorization: 'Authorization',
    authorizationText: 'The access token in the header Authorization (bare, as Bearer token, or as user name of Basic), or as ?auth=.',
    operator: 'Operator',
    operatorText: 'Methods of the operator require the admin key (setting auth.adminAccessKey) as Authorization.',
    answers: 'Answers',
    answersText:
      'JSON, with a member meta beside the result. A failed call returns {"error":{"id","message","data"}}. Times are seconds since 1970 unless described otherwise.',
    forPrograms: 'For programs: OpenAPI 3.1',
    filter: 'Filter methods',
    filterHint: 'By name, address or description',
    noMatch: 'No method matches.',
    overview: 'All methods',
    groups: 'Groups of methods',
    parameters: 'Parameters',
    noParameters: 'No parameters.',
    files: 'Files are sent in a multipart body.',
    name: 'Name',
    form: 'Type',
    meaning: 'Meaning',
    required: 'required',
    optional: 'optional',
    result: 'Result',
    withStatus: (status) => `Status ${status}.`,
    isFile: 'The bytes of the file.',
    isText: (type) => `Text, as ${type}.`,
    statuses: 'Answers over HTTP',
    failures: 'Failures',
    noFailures: 'Only the failures common to all calls.',
    anyFailure: 'Any call can also fail with unexpected-error, too-many-requests, read-only or storage-full.',
    id: 'Id',
    status: 'Status',
    example: 'Example',
    answer: 'Answer',
    copy: 'Copy',
    copied: 'Copied',
    objects: 'Objects',
  },
  fr: {
    title: 'Référence de l’API',
    intro: 'Toutes les méthodes de ce nœud : ce qu’elles font, qui peut les appeler, leurs paramètres, résultat et erreurs, et un exemple.',
    english: 'Les descriptions des méthodes sont en anglais.',
    address: 'Adresse d’un compte',
    authorization: 'Autorisation',
    authorizationText: 'Le jeton d’accès dans l’en-tête Authorization (seul, comme jeton Bearer ou comme nom d’utilisateur Basic), ou par ?auth=.',
    operator: 'Opérateur',
    operatorText: 'Les méthodes de l’opérateur exigent la clé d’administration (réglage auth.adminAccessKey) comme Authorization.',
    answers: 'Réponses',
    answersText:
      'Du JSON, avec un membre meta à côté du résultat. Un appel qui échoue renvoie {"error":{"id","message","data"}}. Les temps sont en secondes depuis 1970, sauf indication contraire.',
    forPrograms: 'Pour les programmes : OpenAPI 3.1',
    filter: 'Filtrer les méthodes',
    filterHint: 'Par nom, adresse ou description',
    noMatch: 'Aucune méthode ne correspond.',
    overview: 'Toutes les méthodes',
    groups: 'Groupes de méthodes',
    parameters: 'Paramètres',
    noParameters: 'Aucun paramètre.',
    files: 'Les fichiers sont envoyés dans un corps multipart.',
    name: 'Nom',
    form: 'Type',
    meaning: 'Signification',
    required: 'obligatoire',
    optional: 'facultatif',
    result: 'Résultat',
    withStatus: (status) => `Statut ${status}.`,
    isFile: 'Les octets du fichier.',
    isText: (type) => `Du texte, de type ${type}.`,
    statuses: 'Réponses par HTTP',
    failures: 'Erreurs',
    noFailures: 'Seulement les erreurs communes à tous les appels.',
    anyFailure: 'Tout appel peut aussi échouer avec unexpected-error, too-many-requests, read-only ou storage-full.',
    id: 'Identifiant',
    status: 'Statut',
    example: 'Exemple',
    answer: 'Réponse',
    copy: 'Copier',
    copied: 'Copié',
    objects: 'Objets',
  },
  de: {
    title: 'API-Referenz',
    intro: 'Alle Methoden dieses Knotens: was sie tun, wer sie aufrufen darf, ihre Parameter, Ergebnis und Fehler, und ein Beispiel.',
    english: 'Die Beschreibungen der Methoden sind auf Englisch.',
    address: 'Adresse eines Kontos',
    authorization: 'Autorisierung',
    authorizationText: 'Das Zugriffstoken im Header Authorization (allein, als Bearer-Token oder als Benutzername von Basic) oder mit ?auth=.',
    operator: 'Betreiber',
    operatorText: 'Methoden des Betreibers verlangen den Admin-Schlüssel (Einstellung auth.adminAccessKey) als Authorization.',
    answers: 'Antworten',
    answersText:
      'JSON, mit einem Feld meta neben dem Ergebnis. Ein fehlgeschlagener Aufruf liefert {"error":{"id","message","data"}}. Zeiten sind Sekunden seit 1970, wenn nichts anderes steht.',
    forPrograms: 'Für Programme: OpenAPI 3.1',
    filter: 'Methoden filtern',
    filterHint: 'Nach Name, Adresse oder Beschreibung',
    noMatch: 'Keine Methode passt.',
    overview: 'Alle Methoden',
    groups: 'Gruppen von Methoden',
    parameters: 'Parameter',
    noParameters: 'Keine Parameter.',
    files: 'Dateien werden in einem Multipart-Body gesendet.',
    name: 'Name',
    form: 'Typ',
    meaning: 'Bedeutung',
    required: 'erforderlich',
    optional: 'optional',
    result: 'Ergebnis',
    withStatus: (status) => `Status ${status}.`,
    isFile: 'Die Bytes der Datei.',
    isText: (type) => `Text, als ${type}.`,
    statuses: 'Antworten über HTTP',
    failures: 'Fehler',
    noFailures: 'Nur die Fehler, die alle Aufrufe gemeinsam haben.',
    anyFailure: 'Jeder Aufruf kann auch mit unexpected-error, too-many-requests, read-only oder storage-full fehlschlagen.',
    id: 'Id',
    status: 'Status',
    example: 'Beispiel',
    answer: 'Antwort',
    copy: 'Kopieren',
    copied: 'Kopiert',
    objects: 'Objekte',
  },
}
