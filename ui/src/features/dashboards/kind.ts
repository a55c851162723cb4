// What a kind of widget is: its name, its usual size, the fields that its form offers, and its picture.

import type { ReactNode } from "react";
import type { Fields } from "./fields";

export interface WidgetProps {
  readonly fields: Fields;
  /** what the widget is called on the page, for labels */
  readonly label: string;
}

export interface WidgetKind {
  readonly Widget: (props: WidgetProps) => ReactNode;
  readonly fields: readonly FieldSpec[];
  /** seconds between two refreshes, unless the widget says otherwise; 0: never */
  readonly refresh: number;
  /** others may listen to what is picked in it: it needs a reference */
  readonly broadcasts?: boolean;
}

/** One line of the registry. */
export interface WidgetEntry {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly load: () => Promise<{ readonly KIND: WidgetKind }>;
}

interface Spec {
  readonly name: string;
  readonly label: string;
}

export type Option = readonly [value: number, label: string];

/** A field of a form. */
export type FieldSpec =
  | (Spec & {
      readonly kind: "number";
      readonly usual: number;
      readonly min?: number;
      readonly max?: number;
    })
  | (Spec & { readonly kind: "text"; readonly usual?: string; readonly lines?: number })
  | (Spec & { readonly kind: "flag"; readonly usual: boolean })
  | (Spec & {
      readonly kind: "choice";
      readonly usual: number;
      readonly options: readonly Option[];
    })
  | (Spec & {
      readonly kind: "checks";
      readonly usual: readonly number[];
      readonly options: readonly Option[];
    })
  | (Spec & {
      readonly kind:
        | "hostgroups"
        | "hosts"
        | "items"
        | "graphs"
        | "slas"
        | "services"
        | "maps"
        | "users";
    })
  | (Spec & { readonly kind: "item" | "graph" | "host" | "sla" | "service" | "map" })
  | (Spec & { readonly kind: "itemPrototype" | "graphPrototype" })
  | (Spec & { readonly kind: "patterns"; readonly hint?: string })
  | (Spec & { readonly kind: "color" })
  | (Spec & { readonly kind: "thresholds" })
  | (Spec & { readonly kind: "tags"; readonly evaltype: string })
  | (Spec & { readonly kind: "source"; readonly signal: string })
  | (Spec & {
      readonly kind: "records";
      readonly one: string;
      readonly fields: readonly FieldSpec[];
      /** without one nothing is shown: a new widget has one */
      readonly begun?: boolean;
    });
