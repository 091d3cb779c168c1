"""The samples that cannot be staged by PyTensor, by reason."""

from __future__ import annotations

from collections.abc import Iterator

_BY_REASON = {
    "the paths of a condition leave lists of different lengths, and a tensor has one": """
        comprehensions.py: filtered filtered_sum in_condition mixed_conditions_over_plain_values
        forms.py: comprehensions_of_staged_values
        generator_loops.py: builtins_that_need_all_items list_of_staged_length
        lists.py: append_in_branch append_until_break lists_of_two_lengths two_lists
        lists_in_objects.py: adjacency appended_to_a_row appended_to_an_item buckets
            list_two_attributes_deep log_of_a_simulation pushed_in_a_branch pushed_in_a_loop
            work_in_a_dict
        ordering.py: removed_where_missing sorted_list_of_staged_length
        passed_on.py: always_under_a_condition collected_by_recursion noted_by_a_helper
            noted_in_a_handler noted_in_a_loop recorded_by_a_context_manager second_name
            stack_machine
        programs.py: run_lengths
        records.py: generators_that_fill texts_of_items
        try_.py: with_in_branch
        displays.py: first_and_rest ends_and_middle set_comprehension
        groups.py: arrays_begun_again
        growing.py: loop_over_a_part
        classes.py: loop_while_an_object_is_true
        comprehensions.py: comprehension_in_a_loop consumed_pairs pairs_with_conditions
            rows_of_pairs set_of_pairs
        groups.py: order_of_a_choice_and_its_arguments two_lists_by_a_condition
        repeated.py: best_or_default counted_at_a_list padded_rows
        unpacking.py: several_parts two_that_are_left
        iteration_tools.py: pairs_of_points steps slices_of_iterators chosen_by_a_test
            largest_after_the_first
        list_slices.py: replaced deleted open_bounds by_itself by_a_number
        match_.py: lists_of_staged_length
        ordering.py: compatible_predecessors
        recursion_state.py: paths
        renewed.py: an_object effects_of_a_condition
    """,
    "a list whose length is known only when the graph runs is read or changed": """
        lists.py: items_of_the_list_that_a_loop_fills lists_that_are_summed
        ordering.py: inserted_removed_and_reversed
        passed_on.py: merged
        queues.py: monotonic_stack
        displays.py: path_with_stars
        generator_managers.py: lists_that_grow
        groups.py: at_each_drop longest_run words_between_zeros
        growing.py: list_under_a_condition
        nested_lists.py: merged_intervals run_lengths
        ordering.py: inserted_by_key
        recursion_state.py: solved_by_an_exception
        renewed.py: method_that_renews
    """,
    "the items that a loop appends are stacked in one tensor, so they are numbers or tensors": """
        comprehensions.py: nested
        records.py: heaviest items_replaced particle_at peaks roots_by_bisection rows_of_pairs
            tokens
        displays.py: dict_comprehension
        groups.py: stored_or_continued changed_before_it_is_stored stored_copies
        comprehensions.py: places_on_a_board
        early_results.py: rounds_until_decided
        nested_lists.py: adjacency row_in_progress rows_of_a_loop shortest_paths
            topological_order
        repeated.py: tuples_or_none_in_a_list
        compared_tuples.py: among_pairs
        members.py: updated_by_pairs
        objects.py: moved_particles named_outside in_two_lists sorted_and_extreme best_or_none
            changed_in_calls changed_in_a_try binary_tree inherited_methods copies_of_objects
            items_replaced_and_swapped
        recursion_state.py: chosen_items
    """,
    "a graph has no sets and dicts, so their members and keys are known in the trace": """
        members.py: algebra cells_that_are_reached counted counters duplicates filled_by_a_helper
            key_that_may_be_missing memory_of_an_object missing_key over_items removed_again
            smallest_of_each sums_by_remainder two_that_add_up
        displays.py: members dict_display
        nested_dicts.py: all_names_see_the_union default_lists default_sets grouped_by_a_tuple
            longest_group one_list_in_two_dicts sets_by_operators visited_from_the_first
        repeated.py: most_common_items path_to_the_start
        unpacking.py: only_member tuple_of_generator
        iteration_tools.py: any_member
        objects.py: accounts_by_key
        renewed.py: attributes variables
    """,
    "a graph has no deques": """
        queues.py: deque_as_a_result moving_average moving_maximum popped_from_an_empty_deque
        compared_tuples.py: steps_to_goal
        objects.py: jobs_of_a_queue
    """,
    "PyTensor has no heaps and no bisection of lists": """
        ordering.py: running_median
        queues.py: events heap_of_known_length largest_of_a_stream shortest_paths
        records.py: shortest_jobs_first
        compared_tuples.py: shortest_first
        objects.py: records_in_a_heap
    """,
    "a graph has no effects, so it prints nothing": """
        for_array.py: with_print
        for_jumps.py: print_until_break
        for_rolled.py: prints_in_each_iteration
        optional.py: printed
        text.py: format_builtin joined joined_generator percent percent_of_several
            percent_with_names printed_in_a_loop str_format template_in_a_variable
    """,
    "a graph returns tensors, and whether one is None is known only when it runs": """
        optional.py: greatest_positive greatest_row in_a_field in_containers items_or_none
            root_or_none set_to_none_again
        optional_tuples.py: greatest_and_index nested_pair set_in_a_while
        records.py: path_to_the_root
    """,
    "a graph has no text and no members of enumerations": """
        optional_tuples.py: printed_pair
        special_methods.py: text_of_an_object
        text.py: str_format_of_items
        enums.py: comparisons_of_members match_of_members member_as_argument member_in_an_object
            member_or_none members_as_keys members_in_lists members_that_are_numbers
            state_machine
        nested_dicts.py: lists_at_text
        repeated.py: most_common_of_plain_keys run_lengths
        text.py: text_in_text
    """,
    "a write makes a new tensor, and another name or place would keep the old one": """
        assert_raise.py: alias_made_in_the_branch_that_does_not_raise
        optional.py: links_in_a_list
        passed_on.py: filled_by_a_helper histogram second_name_of_an_array
        recursion_arrays.py: components reachable
        special_methods.py: operators_of_arrays
        writes.py: by_helper through_view
        recursion_arrays.py: sorted_in_place
    """,
    "a condition selects numbers and tensors, not objects that have other names or may be missing": """
        records.py: best_of_those_kept first_that_is_large one_of_two stored_in_an_object
    """,
    "a graph has no calls, so the depth of a recursion is known in the trace": """
        recursion.py: ackermann adaptive_simpson
        recursion_arrays.py: quicksort tree_depth tree_sum
        recursion_state.py: first_solution
    """,
    "PyTensor has no function with the same results": """
        builtins_.py: filtered
        numpy_functions.py: histogram_of_pairs line_fit packed_bits piecewise
        programs.py: game_of_life
        growing.py: appended_under_a_condition appended_in_each_round until_enough
    """,
    "the arrays of all iterations have one shape": """
        while_.py: growing_array
        growing.py: halves
    """,
    "an index out of range is found when the graph runs, after its handlers": """
        exceptions_.py: index_out_of_bounds
    """,
    "the program's own error, which the trace raises": """
        numpy_.py: shapes_that_do_not_fit
    """,
    "the results of a program have one structure": """
        early_results.py: arrays_of_other_ranks compared_with_none dicts_of_other_keys
            history_until_found none_or_value_from_loop passed_through text_none_or_number
    """,
    "a list that a staged index or condition selects cannot change": """
        groups.py: longest_and_shortest_by_len
        nested_lists.py: breadth_first bucket_sort cells_of_a_grid hash_table one_of_two_lists
            radix_sort row_returned_early
        list_slices.py: one_item_in_a_loop
        objects.py: slots_filled
    """,
    "text and groups cannot be iterated beside staged values": """
        groups.py: names_of_items
        repeated.py: runs_by_key
    """,
    "the items of an indexed list have one type and shape": """
        nested_dicts.py: lists_at_known_keys
        nested_lists.py: sets_and_deques
        optional.py: best_of_each_class fewest_to_fill
        repeated.py: zipped_with_objects
    """,
    "a condition selects numbers and tensors, and a list, set or dict that may be missing is neither": """
        optional_lists.py: sums_of_runs runs run_in_an_object append_to_none changes_and_uses
            length_of_none item_of_none other_containers result_that_may_be_none
    """,
}


def _samples(text: str) -> Iterator[str]:
    file = ""
    for word in text.split():
        if word.endswith(":"):
            file = word
        else:
            yield f"{file}:{word}"


REFUSED = {sample: reason for reason, text in _BY_REASON.items() for sample in _samples(text)}
