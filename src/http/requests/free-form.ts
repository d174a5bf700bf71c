import { IsObject } from '../../common/class-validator.js';

const FREE_FORM = Symbol('free form');

/**
 * An object whose members no class declares: metadata, or the settings of a provider. DtoPipe leaves it as it came,
 * because class-transformer takes a member `constructor` for a class, and leaves out those that all objects have.
 */
export const IsFreeForm = (): PropertyDecorator => (target, property) => {
  IsObject()(target, property);
  Reflect.defineMetadata(FREE_FORM, [...freeFormOf(target), String(property)], target);
};

/** @param prototype of a DTO's class */
export function freeFormOf(prototype: object): readonly string[] {
  return (Reflect.getMetadata(FREE_FORM, prototype) as readonly string[] | undefined) ?? [];
}
