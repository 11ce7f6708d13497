import type { InLanguages } from '../../base/words.js'

interface SignInWords {
  title: string
  name: string
  password: string
  button: string
  wrong: string
  noAddress: string
  notOffered: string
  forgotten: string
  register: string
  refuse: string
}

export const signInWords: InLanguages<SignInWords> = {
  en: {
    title: 'Sign in',
    name: 'User name or e-mail address',
    password: 'Password',
    button: 'Sign in',
    wrong: 'The user name or the password is wrong.',
    noAddress: 'No account has this e-mail address.',
    notOffered: 'This account has a second factor that this node does not offer. Ask its operator.',
    forgotten: 'Forgot your password?',
    register: 'Create an account',
    refuse: 'Refuse, and go back',
  },
  fr: {
    title: 'Se connecter',
    name: 'Nom d’utilisateur ou adresse e-mail',
    password: 'Mot de passe',
    button: 'Se connecter',
    wrong: 'Le nom d’utilisateur ou le mot de passe est incorrect.',
    noAddress: 'Aucun compte n’a cette adresse e-mail.',
    notOffered: 'Ce compte a un second facteur que ce nœud ne propose pas. Adressez-vous à son opérateur.',
    forgotten: 'Mot de passe oublié ?',
    register: 'Créer un compte',
    refuse: 'Refuser et revenir',
  },
  de: {
    title: 'Anmelden',
    name: 'Benutzername oder E-Mail-Adresse',
    password: 'Passwort',
    button: 'Anmelden',
    wrong: 'Der Benutzername oder das Passwort ist falsch.',
    noAddress: 'Kein Konto hat diese E-Mail-Adresse.',
    notOffered: 'Dieses Konto hat einen zweiten Faktor, den dieser Knoten nicht anbietet. Wenden Sie sich an dessen Betreiber.',
    forgotten: 'Passwort vergessen?',
    register: 'Konto erstellen',
    refuse: 'Ablehnen und zurück',
  },
}
