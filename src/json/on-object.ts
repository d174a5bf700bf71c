/**
 * The private fields of a class that extends this one are put on an object that is there already. Nobody else sees
 * them, and no copy has them. It costs a third of a property that Object.defineProperty makes.
 */
export class OnObject {
  constructor(object: object) {
    return object;
  }
}
